#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>

namespace trammel {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;

/// What the coordinates of a body are. A rigid body has its centre of mass r and Euler parameters
/// p = (p0, e); a planar one moves in the plane z = 0; a scalar is one coordinate without place in
/// space, e.g. the angle of a joint over many turns.
enum class BodyKind : std::uint8_t { ground, scalar, planarPoint, point, planar, rigid };

constexpr int coordinateCountOf(BodyKind kind) {
  constexpr int counts[] = {0, 1, 2, 3, 3, 7};
  return counts[static_cast<int>(kind)];
}
constexpr bool isPlanar(BodyKind kind) {
  return kind == BodyKind::planar || kind == BodyKind::planarPoint;
}

/// A vector of numbers of type S, which is double or a Dual.
template <class S>
struct Triple {
  S x{}, y{}, z{};

  friend Triple operator+(const Triple& a, const Triple& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend Triple operator-(const Triple& a, const Triple& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend Triple operator-(const Triple& a) { return {-a.x, -a.y, -a.z}; }
  friend Triple operator*(const S& factor, const Triple& a) {
    return {factor * a.x, factor * a.y, factor * a.z};
  }
};
template <class S>
S dot(const Triple<S>& a, const Triple<S>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class S>
S dot(const Triple<S>& a, const Vector3& b) {
  return a.x * b.x() + a.y * b.y() + a.z * b.z();
}
template <class S>
Triple<S> cross(const Triple<S>& a, const Triple<S>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class S>
Triple<S> tripleOf(const Vector3& a) {
  return {S(a.x()), S(a.y()), S(a.z())};
}

/// Euler parameters or their product; the product of two is that of quaternions.
template <class S>
struct Quadruple {
  S w{};
  Triple<S> e;
};
template <class S>
Quadruple<S> product(const Quadruple<S>& a, const Quadruple<S>& b) {
  return {a.w * b.w - dot(a.e, b.e), a.w * b.e + b.w * a.e + cross(a.e, b.e)};
}
template <class S>
Quadruple<S> conjugate(const Quadruple<S>& a) {
  return {a.w, -a.e};
}

/// The place of one body at coordinates x, with what maps vectors in space back to generalised
/// forces: W += (∂X/∂x)ᵀ μ for a vector X that moves with the body, and W += (∂ω/∂x')ᵀ n.
template <class S>
class BodyPlace {
 public:
  BodyPlace(BodyKind kind, const S* x) : kind_(kind), x_(x) {
    using std::cos, std::sin;
    if (kind != BodyKind::planar) return;
    cosine_ = cos(x[2]);
    sine_ = sin(x[2]);
  }

  /// A s, the body-fixed vector s in space. Rigid: A s = (p0² − e·e) s + 2 e (e·s) + 2 p0 e×s.
  Triple<S> turned(const Vector3& s) const {
    if (kind_ == BodyKind::rigid) {
      const Triple<S> e = vectorPart(), t = tripleOf<S>(s);
      const S& p0 = x_[3];
      return (p0 * p0 - dot(e, e)) * t + (2.0 * dot(e, s)) * e + (2.0 * p0) * cross(e, t);
    }
    if (kind_ != BodyKind::planar) return tripleOf<S>(s);
    return {cosine_ * s.x() - sine_ * s.y(), sine_ * s.x() + cosine_ * s.y(), S(s.z())};
  }
  /// r + A s.
  Triple<S> point(const Vector3& s) const { return origin() + turned(s); }

  /// W += (∂(A s)/∂x)ᵀ μ.
  void pullTurned(const Vector3& s, const Triple<S>& mu, S* W) const {
    if (kind_ == BodyKind::planar) {
      W[2] += mu.y * (cosine_ * s.x() - sine_ * s.y()) - mu.x * (sine_ * s.x() + cosine_ * s.y());
    }
    if (kind_ != BodyKind::rigid) return;
    const Triple<S> e = vectorPart(), t = tripleOf<S>(s);
    const S& p0 = x_[3];
    const S sMu = dot(mu, s);
    W[3] += 2.0 * (p0 * sMu + dot(cross(e, t), mu));
    const Triple<S> row = (dot(e, mu) * t - sMu * e) + dot(e, s) * mu + p0 * cross(t, mu);
    W[4] += 2.0 * row.x;
    W[5] += 2.0 * row.y;
    W[6] += 2.0 * row.z;
  }
  /// W += (∂(r + A s)/∂x)ᵀ μ.
  void pullPoint(const Vector3& s, const Triple<S>& mu, S* W) const {
    if (kind_ == BodyKind::ground || kind_ == BodyKind::scalar) return;
    W[0] += mu.x;
    W[1] += mu.y;
    if (!isPlanar(kind_)) W[2] += mu.z;
    pullTurned(s, mu, W);
  }
  /// W += (∂(n·ω)/∂x')ᵀ;   ω = 2 (p0 e' − p0' e + e×e').
  void pullSpin(const Triple<S>& n, S* W) const {
    if (kind_ == BodyKind::planar) W[2] += n.z;
    if (kind_ != BodyKind::rigid) return;
    const Triple<S> e = vectorPart();
    const Triple<S> row = x_[3] * n + cross(n, e);
    W[3] -= 2.0 * dot(n, e);
    W[4] += 2.0 * row.x;
    W[5] += 2.0 * row.y;
    W[6] += 2.0 * row.z;
  }

  /// Euler parameters of the body; (cos θ/2, 0, 0, sin θ/2) in the plane.
  Quadruple<S> orientation() const {
    using std::cos, std::sin;
    if (kind_ == BodyKind::rigid) return {x_[3], vectorPart()};
    if (kind_ == BodyKind::planar) {
      const S half = 0.5 * x_[2];
      return {cos(half), {S(0.0), S(0.0), sin(half)}};
    }
    return {S(1.0), {S(0.0), S(0.0), S(0.0)}};
  }
  /// W += (∂p/∂x)ᵀ ν for the parameters of orientation().
  void pullOrientation(const Quadruple<S>& nu, S* W) const {
    if (kind_ == BodyKind::planar) {
      const Quadruple<S> p = orientation();
      W[2] += 0.5 * (p.w * nu.e.z - p.e.z * nu.w);
    }
    if (kind_ != BodyKind::rigid) return;
    W[3] += nu.w;
    W[4] += nu.e.x;
    W[5] += nu.e.y;
    W[6] += nu.e.z;
  }

 private:
  Triple<S> origin() const {
    switch (kind_) {
      case BodyKind::planar:
      case BodyKind::planarPoint:
        return {x_[0], x_[1], S(0.0)};
      case BodyKind::point:
      case BodyKind::rigid:
        return {x_[0], x_[1], x_[2]};
      case BodyKind::ground:
      case BodyKind::scalar:
        break;
    }
    return {S(0.0), S(0.0), S(0.0)};
  }
  Triple<S> vectorPart() const { return {x_[4], x_[5], x_[6]}; }

  BodyKind kind_;
  const S* x_;
  S cosine_{}, sine_{};  // of the angle of a planar body
};

}  // namespace trammel
