"use strict";
// The mechanism in the reference run, drawn on a canvas: bodies as links between their points, joints, springs, paths.
// A scene has times, bodies with poses [x, y, z, q0, q1, q2, q3] or [x, y, angle] one after the other, and elements whose
// places are [body, x, y, z] in coordinates of the body about its centre of mass; body 0 is the ground.

class Animation {
  constructor(canvas, scene) {
    this.canvas = canvas;
    this.scene = scene;
    this.motions = [null, ...scene.bodies.map((body) => new BodyMotion(body))];
    this.camera = new Camera(scene);
    this.time = scene.time[0];
    this.speed = 1;
    this.playing = false;
    this.showPaths = true;
    this.showNames = false;
    this.frames = 0;          // drawn so far
    this.listeners = [];      // told the time
    this.extent = this.allPoints();
    this.lowest = this.extent.reduce((low, p) => Math.min(low, vector.dot(scene.up, p)), Infinity);
    if (!scene.plane) this.extent = this.extent.concat(this.extent.map((p) => this.lowered(p, this.lowest)));  // shadows
    this.paths = scene.paths.map((place) => scene.time.map((_, i) => this.placeAt(place, this.posesAt(i, 0))));
    new ResizeObserver(() => this.resize()).observe(canvas);
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.resize());
    this.resize();
    this.followPointer();
  }

  get startTime() { return this.scene.time[0]; }
  get stopTime() { return this.scene.time[this.scene.time.length - 1]; }

  posesAt(i, share) { return this.motions.map((motion) => motion && motion.at(i, share)); }

  poses() {
    const t = this.scene.time;
    let low = 0, high = t.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (t[middle] <= this.time) low = middle;
      else high = middle;
    }
    if (high === low) return this.posesAt(low, 0);
    const share = (this.time - t[low]) / (t[high] - t[low]);
    return this.posesAt(low, Math.max(0, Math.min(1, share)));
  }

  placeAt([body, ...s], poses) {
    return body === 0 ? s : vector.add(poses[body].centre, rotated(poses[body].turn, s));
  }

  /** The place below p (or above it) at a level. */
  lowered(p, level) { return vector.add(p, vector.times(level - vector.dot(this.scene.up, p), this.scene.up)); }

  directionAt(body, axis, poses) { return body === 0 ? axis : rotated(poses[body].turn, axis); }

  /** What the picture must have room for: all places at some forty times. */
  allPoints() {
    const points = [], count = this.scene.time.length, stride = Math.max(1, Math.floor(count / 40));
    const places = this.scene.joints.concat(this.scene.forces).flatMap((element) => [element.a, element.b]);
    for (let i = 0; i < count; i += stride) {
      const poses = this.posesAt(i, 0);
      for (const place of places) points.push(this.placeAt(place, poses));
      this.scene.bodies.forEach((body, b) => {
        points.push(poses[b + 1].centre);
        for (const s of body.points) points.push(this.placeAt([b + 1, ...s], poses));
      });
    }
    return points.length > 0 ? points : [[0, 0, 0]];
  }

  resize() {
    const ratio = window.devicePixelRatio || 1, width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    if (width === 0 || height === 0) return;
    this.canvas.width = Math.round(ratio * width);
    this.canvas.height = Math.round(ratio * height);
    this.context = this.canvas.getContext("2d");
    this.context.scale(ratio, ratio);
    const css = getComputedStyle(document.documentElement);
    const colour = (name) => css.getPropertyValue(name).trim();
    this.colours = { ink: colour("--ink"), soft: colour("--soft"), line: colour("--line"), panel: colour("--panel") };
    this.palette = [...Array(8).keys()].map((k) => colour(`--c${k}`));
    this.fit();
    this.draw();
  }

  fit() {
    this.camera.fit(this.extent, this.canvas.clientWidth, this.canvas.clientHeight);
    this.symbol = Math.max(4, Math.min(13, 0.035 * this.camera.scale * this.camera.radius));  // pixels
  }

  // Time

  setTime(time) {
    this.time = Math.max(this.startTime, Math.min(this.stopTime, time));
    this.draw();
    for (const listener of this.listeners) listener(this.time);
  }

  setPlaying(playing) {
    this.playing = playing;
    if (!playing) return;
    if (this.time >= this.stopTime) this.setTime(this.startTime);
    let last = null;
    const advance = (now) => {
      if (!this.playing) return;
      if (last !== null) {
        const time = this.time + this.speed * (now - last) / 1000;
        this.setTime(time > this.stopTime ? this.startTime : time);
      }
      last = now;
      window.requestAnimationFrame(advance);
    };
    window.requestAnimationFrame(advance);
  }

  resetView() {
    this.camera.reset();
    this.fit();
    this.draw();
  }

  // Pointer: drag rotates, with Shift or another button or in the plane's pan it moves, two fingers zoom.

  followPointer() {
    const pointers = new Map(), canvas = this.canvas;
    const end = (event) => pointers.delete(event.pointerId);
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
    });
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const spread = () => {
        const [a, b] = [...pointers.values()];
        return Math.hypot(a[0] - b[0], a[1] - b[1]);
      };
      const dx = event.clientX - before[0], dy = event.clientY - before[1];
      const apart = pointers.size === 2 ? spread() : 0;
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
      if (pointers.size === 2) {
        if (apart > 0) this.zoomBy(spread() / apart);
        this.moveBy(dx / 2, dy / 2);
      } else if (event.shiftKey || event.buttons > 1) {
        this.moveBy(dx, dy);
      } else {
        this.camera.rotate(0.008 * dx, 0.008 * dy);
      }
      this.draw();
    });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && document.activeElement !== canvas) return;
      event.preventDefault();
      this.zoomBy(Math.exp(-0.0015 * event.deltaY));
      this.draw();
    }, { passive: false });
  }

  moveBy(dx, dy) {
    this.camera.shift[0] += dx;
    this.camera.shift[1] += dy;
  }

  zoomBy(factor) {
    const zoom = Math.max(0.1, Math.min(40, this.camera.zoom * factor)), real = zoom / this.camera.zoom;
    this.camera.zoom = zoom;
    this.moveBy((real - 1) * this.camera.shift[0], (real - 1) * this.camera.shift[1]);
  }

  // Picture

  draw() {
    if (!this.context) return;
    const poses = this.poses();
    this.context.clearRect(0, 0, this.canvas.clientWidth, this.canvas.clientHeight);
    this.context.lineCap = this.context.lineJoin = "round";
    if (!this.scene.plane) this.drawFloor(poses);
    if (this.showPaths) this.drawPaths();
    const items = [];  // depth and what to draw there, from the back to the front
    this.scene.bodies.forEach((body, b) => this.addBody(items, body, b + 1, poses));
    for (const force of this.scene.forces) this.addForce(items, force, poses);
    for (const joint of this.scene.joints) this.addJoint(items, joint, poses);
    items.sort((a, b) => a[0] - b[0]);
    for (const item of items) item[1]();
    if (this.showNames) this.drawNames(poses);
    if (!this.scene.plane) this.drawAxes();
    ++this.frames;
  }

  stroke(points, colour, width, closed = false) {
    const c = this.context;
    c.beginPath();
    points.forEach(([x, y], i) => (i === 0 ? c.moveTo(x, y) : c.lineTo(x, y)));
    if (closed) c.closePath();
    c.strokeStyle = colour;
    c.lineWidth = width;
    c.stroke();
  }

  disc([x, y], radius, fill, outline = null, width = 1.5) {
    const c = this.context;
    c.beginPath();
    c.arc(x, y, radius, 0, 2 * Math.PI);
    c.fillStyle = fill;
    c.fill();
    if (!outline) return;
    c.strokeStyle = outline;
    c.lineWidth = width;
    c.stroke();
  }

  /** The floor is a little below the lowest place; a grid and shadows on it show where things are. */
  drawFloor(poses) {
    const { up, right } = this.scene, { centre, radius } = this.camera;
    const ahead = vector.cross(right, up);
    const onFloor = (p) => this.lowered(p, this.lowest - 0.06 * radius);
    const middle = onFloor(centre), half = 1.3 * radius, lines = 8;
    const point = (x, y) => this.camera.project(vector.add(middle, vector.add(vector.times(x, right), vector.times(y, ahead))));
    for (let k = 0; k <= lines; ++k) {
      const x = half * (2 * k / lines - 1);
      this.stroke([point(x, -half), point(x, half)], this.colours.line, 1);
      this.stroke([point(-half, x), point(half, x)], this.colours.line, 1);
    }
    this.context.globalAlpha = 0.13;
    this.scene.bodies.forEach((body, b) => {
      const shape = this.shapeOf(body, b + 1, poses).map((p) => this.camera.project(onFloor(p)));
      this.stroke(convexHull(shape), this.colours.ink, this.symbol, shape.length > 2);
      if (shape.length === 1) this.disc(shape[0], this.symbol, this.colours.ink);
    });
    this.context.globalAlpha = 1;
  }

  drawPaths() {
    const upTo = this.scene.time.findIndex((t) => t > this.time);
    this.paths.forEach((path, k) => {
      const colour = this.palette[(this.scene.paths[k][0] - 1 + 8) % 8], points = path.map((p) => this.camera.project(p));
      this.context.globalAlpha = 0.25;
      this.stroke(points, colour, 1.2);
      this.context.globalAlpha = 0.75;
      this.stroke(upTo < 0 ? points : points.slice(0, upTo), colour, 1.6);
    });
    this.context.globalAlpha = 1;
  }

  /** Corners of a body: its points, and its centre where they would be too few. */
  shapeOf(body, b, poses) {
    const points = body.points.map((s) => this.placeAt([b, ...s], poses));
    if (points.length < 2 && !(points.length === 1 && body.centred)) points.push(poses[b].centre);
    return points;
  }

  addBody(items, body, b, poses) {
    const colour = this.palette[(b - 1) % 8], w = this.symbol;
    const shape = this.shapeOf(body, b, poses).map((p) => this.camera.project(p));
    const centre = this.camera.project(poses[b].centre);
    const depth = shape.reduce((sum, p) => sum + p[2], 0) / shape.length;
    items.push([depth, () => {
      const hull = convexHull(shape);
      if (hull.length > 1 || shape.length > 1) {
        const ends = hull.length > 1 ? hull : shape;
        if (ends.length > 2) this.fillPlate(ends, colour);
        this.stroke(ends, colour, w, ends.length > 2);
        this.context.globalAlpha = 0.28;
        this.stroke(ends, "#fff", 0.3 * w, ends.length > 2);
        this.context.globalAlpha = 1;
      }
      if (body.point || shape.length === 1) this.drawBall(centre, body.point ? 1.15 * w : 0.9 * w, colour);
      else this.disc(centre, 0.32 * w, this.colours.panel, colour, 1.2);
      if (!this.scene.plane && !body.point) this.drawTriad(b, poses, 1.8 * w);
    }]);
  }

  fillPlate(points, colour) {
    const c = this.context;
    c.beginPath();
    points.forEach(([x, y], i) => (i === 0 ? c.moveTo(x, y) : c.lineTo(x, y)));
    c.closePath();
    c.globalAlpha = 0.3;
    c.fillStyle = colour;
    c.fill();
    c.globalAlpha = 1;
  }

  drawBall([x, y], radius, colour) {
    this.disc([x, y], radius, colour);
    const light = this.context.createRadialGradient(x - 0.4 * radius, y - 0.4 * radius, 0, x, y, radius);
    light.addColorStop(0, "rgba(255,255,255,0.6)");
    light.addColorStop(1, "rgba(255,255,255,0)");
    this.disc([x, y], radius, light);
  }

  /** The axes of a body, which show how it turns. */
  drawTriad(b, poses, length) {
    const { centre, turn } = poses[b], s = length / (this.camera.scale * this.camera.zoom);
    const from = this.camera.project(centre);
    this.context.globalAlpha = 0.7;
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach((axis, k) => {
      const to = this.camera.project(vector.add(centre, vector.times(s, rotated(turn, axis))));
      this.stroke([from, to], this.palette[[6, 2, 0][k]], 1.4);
    });
    this.context.globalAlpha = 1;
  }

  addForce(items, force, poses) {
    const a = this.camera.project(this.placeAt(force.a, poses)), b = this.camera.project(this.placeAt(force.b, poses));
    if (force.type === "contact") {
      if (this.scene.plane) this.drawLineOfContact(force, poses);  // in space the floor will do
      return;
    }
    items.push([(a[2] + b[2]) / 2, () => {
      if (force.type === "spring") this.drawSpring(a, b);
      else this.stroke([a, b], this.colours.soft, 0.6 * this.symbol);
      this.drawGround(force.a, a);
      this.drawGround(force.b, b);
    }]);
  }

  drawLineOfContact(force, poses) {
    const reach = vector.times(3 * this.camera.radius, this.directionAt(force.a[0], force.axis, poses));
    const place = this.placeAt(force.a, poses);
    this.stroke([this.camera.project(vector.minus(place, reach)), this.camera.project(vector.add(place, reach))], this.colours.ink, 1.3);
  }

  drawSpring(a, b) {
    const along = [b[0] - a[0], b[1] - a[1]], length = Math.hypot(...along) || 1;
    const side = [-along[1] / length * 0.8 * this.symbol, along[0] / length * 0.8 * this.symbol];
    const at = (share, sign) => [a[0] + share * along[0] + sign * side[0], a[1] + share * along[1] + sign * side[1]];
    const points = [a, at(0.15, 0)];
    for (let i = 0; i < 12; ++i) points.push(at(0.15 + 0.7 * (i + 0.5) / 12, i % 2 === 0 ? 1 : -1));
    points.push(at(0.85, 0), b);
    this.stroke(points, this.colours.soft, 1.6);
  }

  /** Hatches under a place on the ground. */
  drawGround([body], [x, y]) {
    if (body !== 0) return;
    const w = this.symbol, base = y + 1.2 * w;
    this.stroke([[x - 1.6 * w, base], [x + 1.6 * w, base]], this.colours.ink, 1.3);
    for (let i = -2; i <= 2; ++i)
      this.stroke([[x + (0.65 * i + 0.3) * w, base], [x + (0.65 * i - 0.3) * w, base + 0.6 * w]], this.colours.ink, 1);
  }

  addJoint(items, joint, poses) {
    const placeA = this.placeAt(joint.a, poses), placeB = this.placeAt(joint.b, poses);
    const a = this.camera.project(placeA), b = this.camera.project(placeB);
    const axis = this.directionAt(joint.a[0], joint.axis, poses);
    const draw = {
      distance: () => this.drawRod(a, b),
      point_on_circle: () => this.drawCircle(placeA, placeB, axis),
      prismatic: () => this.drawGuide(placeA, placeB, axis),
      cylindrical: () => this.drawGuide(placeA, placeB, axis),
      screw: () => this.drawGuide(placeA, placeB, axis),
      point_on_line: () => this.drawGuide(placeA, placeB, axis),
      fixed: () => this.drawBlock(b, [1, 0], 0.5, 0.5, this.colours.ink),
    }[joint.type] || (() => this.drawHinge(joint, placeB, axis));
    // A joint lies on top of the bodies it joins.
    items.push([b[2] + 0.12 * this.camera.radius, () => {
      draw();
      this.drawGround(joint.a, ["distance", "prismatic", "cylindrical", "point_on_line"].includes(joint.type) ? a : b);
      if (joint.b[0] === 0) this.drawGround(joint.b, b);
    }]);
  }

  drawRod(a, b) {
    this.stroke([a, b], this.colours.ink, 1.6);
    for (const end of [a, b]) this.disc(end, 0.4 * this.symbol, this.colours.panel, this.colours.ink);
  }

  drawHinge(joint, place, axis) {
    const w = this.symbol, b = this.camera.project(place);
    if (joint.type === "revolute" && !this.scene.plane) {  // a pin along the axis
      const half = vector.times(1.1 * w / (this.camera.scale * this.camera.zoom), axis);
      const ends = [this.camera.project(vector.add(place, half)), this.camera.project(vector.minus(place, half))];
      this.stroke(ends, this.colours.ink, 0.7 * w);
      this.stroke(ends, this.colours.panel, 0.7 * w - 2.5);
      return;
    }
    this.disc(b, 0.55 * w, this.colours.panel, this.colours.ink);
    if (joint.type === "spherical") this.disc(b, 0.25 * w, this.colours.ink);
    if (joint.type === "universal") {
      const d = 0.38 * w;
      this.stroke([[b[0] - d, b[1] - d], [b[0] + d, b[1] + d]], this.colours.ink, 1.4);
      this.stroke([[b[0] - d, b[1] + d], [b[0] + d, b[1] - d]], this.colours.ink, 1.4);
    }
  }

  /** A rail through a along the axis, with a block at b. */
  drawGuide(placeA, placeB, axis) {
    const reach = vector.dot(axis, vector.minus(placeB, placeA));
    const slack = 0.12 * this.camera.radius;
    const at = (x) => this.camera.project(vector.add(placeA, vector.times(x, axis)));
    this.context.setLineDash([5, 4]);
    this.stroke([at(Math.min(0, reach) - slack), at(Math.max(0, reach) + slack)], this.colours.ink, 1.1);
    this.context.setLineDash([]);
    const from = at(reach), to = at(reach + slack), along = [to[0] - from[0], to[1] - from[1]];
    const length = Math.hypot(...along);
    this.drawBlock(from, length > 1 ? [along[0] / length, along[1] / length] : [1, 0], 1.1, 0.65, this.colours.panel);
  }

  drawBlock([x, y], [ux, uy], halfLength, halfWidth, fill) {
    const w = this.symbol, c = this.context;
    const corner = (s, t) => [x + w * (s * halfLength * ux - t * halfWidth * uy), y + w * (s * halfLength * uy + t * halfWidth * ux)];
    const corners = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
    c.beginPath();
    corners.forEach(([px, py], i) => (i === 0 ? c.moveTo(px, py) : c.lineTo(px, py)));
    c.closePath();
    c.fillStyle = fill;
    c.fill();
    this.stroke(corners, this.colours.ink, 1.4, true);
  }

  drawCircle(centre, rim, axis) {
    const spoke = vector.minus(rim, centre), flat = vector.minus(spoke, vector.times(vector.dot(axis, spoke), axis));
    const points = [];
    for (let k = 0; k <= 60; ++k) points.push(this.camera.project(vector.add(centre, vector.turned(flat, axis, k * Math.PI / 30))));
    this.context.setLineDash([4, 4]);
    this.stroke(points, this.colours.ink, 1);
    this.context.setLineDash([]);
    this.disc(this.camera.project(rim), 0.4 * this.symbol, this.colours.panel, this.colours.ink);
  }

  drawNames(poses) {
    const c = this.context;
    c.font = "13px system-ui, sans-serif";
    this.scene.bodies.forEach((body, b) => {
      const [x, y] = this.camera.project(poses[b + 1].centre);
      c.lineWidth = 3;
      c.strokeStyle = this.colours.panel;
      c.strokeText(body.name, x + 9, y - 9);
      c.fillStyle = this.palette[b % 8];
      c.fillText(body.name, x + 9, y - 9);
    });
  }

  /** The axes of the ground, in the corner. */
  drawAxes() {
    const origin = [34, this.canvas.clientHeight - 34], c = this.context;
    c.font = "12px system-ui, sans-serif";
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach((axis, k) => {
      const to = [origin[0] + 22 * vector.dot(this.camera.right, axis), origin[1] - 22 * vector.dot(this.camera.up, axis)];
      this.stroke([origin, to], this.palette[[6, 2, 0][k]], 1.6);
      c.fillStyle = this.colours.soft;
      c.fillText("xyz"[k], to[0] + 3, to[1] - 2);
    });
  }
}
