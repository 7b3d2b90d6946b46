"use strict";
// Motion of bodies and where they are seen from.

const vector = {
  add: (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]],
  minus: (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
  times: (s, a) => [s * a[0], s * a[1], s * a[2]],
  dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
  cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  unit: (a) => {
    const length = Math.hypot(...a);
    return length > 0 ? vector.times(1 / length, a) : [1, 0, 0];
  },
  /** a turned about the unit vector n. */
  turned: (a, n, angle) => {
    const c = Math.cos(angle), s = Math.sin(angle);
    return vector.add(vector.add(vector.times(c, a), vector.times(s, vector.cross(n, a))), vector.times((1 - c) * vector.dot(n, a), n));
  },
};

/** Place and orientation of a body at any time of the run. */
class BodyMotion {
  constructor(body) {
    this.poses = body.poses;
    this.size = body.planar ? 3 : 7;
  }

  /** The pose between samples i and i + 1. */
  at(i, share) {
    const n = this.size, p = this.poses, a = i * n;
    const b = share > 0 ? a + n : a;
    const x = (k) => p[a + k] + share * (p[b + k] - p[a + k]);
    if (n === 3) return { centre: [x(0), x(1), 0], turn: [Math.cos(x(2) / 2), 0, 0, Math.sin(x(2) / 2)] };
    let same = 0;
    for (let k = 3; k < 7; ++k) same += p[a + k] * p[b + k];
    const sign = same < 0 ? -1 : 1;  // q and -q are one orientation
    const q = [3, 4, 5, 6].map((k) => p[a + k] + share * (sign * p[b + k] - p[a + k]));
    const norm = Math.hypot(...q) || 1;
    return { centre: [x(0), x(1), x(2)], turn: q.map((c) => c / norm) };
  }
}

/** s fixed in a body, in axes of the ground: s + 2 e × (e × s + q0 s). */
function rotated([q0, ...e], s) {
  const once = vector.add(vector.cross(e, s), vector.times(q0, s));
  return vector.add(s, vector.times(2, vector.cross(e, once)));
}

/** Points around the others, in order (monotone chain). */
function convexHull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turns = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = (list) => {
    const hull = [];
    for (const p of list) {
      while (hull.length > 1 && turns(hull[hull.length - 2], hull[hull.length - 1], p) <= 0) hull.pop();
      hull.push(p);
    }
    hull.pop();
    return hull;
  };
  return sorted.length < 3 ? sorted : half(sorted).concat(half(sorted.reverse()));
}

/** Where the mechanism is seen from: turned about the vertical and tilted, with perspective in space. */
class Camera {
  constructor(scene) {
    this.scene = scene;
    this.reset();
  }

  reset() {
    this.yaw = this.scene.plane ? 0 : -0.6;
    this.tilt = this.scene.plane ? 0 : 0.42;
    this.zoom = 1;
    this.shift = [0, 0];
    this.turn();
  }

  turn() {
    const up = this.scene.up;
    const right = vector.turned(this.scene.right, up, -this.yaw);
    const toward = vector.cross(right, up);
    this.right = right;
    this.up = vector.turned(up, right, this.tilt);
    this.toward = vector.turned(toward, right, this.tilt);
  }

  rotate(dx, dy) {
    this.yaw += dx;
    this.tilt = Math.max(-1.5, Math.min(1.5, this.tilt + dy));
    this.turn();
  }

  /** Shows the box of these points in a window of this size. */
  fit(points, width, height) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const p of points) {
      for (let k = 0; k < 3; ++k) {
        low[k] = Math.min(low[k], p[k]);
        high[k] = Math.max(high[k], p[k]);
      }
    }
    this.centre = vector.times(0.5, vector.add(low, high));
    this.radius = Math.max(1e-9, Math.hypot(...vector.minus(high, low)) / 2);
    this.scale = 1;
    this.width = 0;
    this.height = 0;
    const box = [Infinity, Infinity, -Infinity, -Infinity];
    for (const p of points) {
      const [x, y] = this.project(p);
      box[0] = Math.min(box[0], x);
      box[1] = Math.min(box[1], y);
      box[2] = Math.max(box[2], x);
      box[3] = Math.max(box[3], y);
    }
    this.width = width;
    this.height = height;
    this.scale = 0.76 * Math.min(width / Math.max(box[2] - box[0], 0.6 * this.radius), height / Math.max(box[3] - box[1], 0.6 * this.radius));
    this.middle = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
  }

  /** Pixels right and down, and depth towards the viewer. */
  project(p) {
    const d = vector.minus(p, this.centre);
    const z = vector.dot(this.toward, d);
    const distance = 6 * this.radius;
    const near = this.scene.plane ? 1 : distance / Math.max(0.1 * distance, distance - z);
    const x = near * vector.dot(this.right, d), y = -near * vector.dot(this.up, d);
    if (this.width === 0) return [x, y, z];
    const s = this.scale * this.zoom;
    return [
      this.width / 2 + this.shift[0] + s * (x - this.middle[0]),
      this.height / 2 + this.shift[1] + s * (y - this.middle[1]),
      z,
    ];
  }
}
