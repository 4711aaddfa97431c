// Embree's time for what two cameras see of a mesh, as speed.py asks: OBJ W X Y Z ZOOM ZOOM. Prints the median for each
// camera in microseconds.
#include <embree3/rtcore.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

constexpr int SIDE = 64, PACKET = 16, ROUNDS = 2000;
constexpr double DISTANCE = 0.2, TURN = 2.0 * M_PI / 180.0, GOLDEN = 0.618033988749895;

struct Vector { double x, y, z; };

// By a quaternion of length 1.
Vector turned(const double q[4], Vector v) {
  Vector u{q[1], q[2], q[3]};
  auto cross = [](Vector a, Vector b) { return Vector{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; };
  Vector t = cross(u, v), w = cross(u, t);
  return {v.x + 2 * (q[0] * t.x + w.x), v.y + 2 * (q[0] * t.y + w.y), v.z + 2 * (q[0] * t.z + w.z)};
}

RTCScene read(RTCDevice device, const char* path, const double rotation[4]) {
  std::vector<Vector> points;
  std::vector<unsigned> corners;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "v") {
      Vector v;
      words >> v.x >> v.y >> v.z;
      points.push_back(turned(rotation, v));
    } else if (word == "f") {
      while (words >> word) corners.push_back(std::stoul(word) - 1);
    }
  }
  RTCGeometry mesh = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  auto* vertices = (float*)rtcSetNewGeometryBuffer(mesh, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, points.size());
  for (Vector v : points) { *vertices++ = v.x; *vertices++ = v.y; *vertices++ = v.z; }
  auto* indices = (unsigned*)rtcSetNewGeometryBuffer(mesh, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, corners.size() / 3);
  std::copy(corners.begin(), corners.end(), indices);
  rtcCommitGeometry(mesh);
  RTCScene scene = rtcNewScene(device);
  rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_HIGH);
  rtcAttachGeometry(scene, mesh);
  rtcCommitScene(scene);
  return scene;
}

// The rays of 16 pixels, 4 by 4, through their centres, from a camera that is turned to the left.
void aim(RTCRayHit16& packet, int row, int column, double zoom, double angle) {
  for (int lane = 0; lane < PACKET; lane++) {
    double x = (2 * (column + lane % 4 + 0.5) / SIDE - 1) / zoom, y = (1 - 2 * (row + lane / 4 + 0.5) / SIDE) / zoom;
    packet.ray.org_x[lane] = 0, packet.ray.org_y[lane] = 0, packet.ray.org_z[lane] = DISTANCE;
    packet.ray.dir_x[lane] = x * std::cos(angle) - std::sin(angle);
    packet.ray.dir_y[lane] = y;
    packet.ray.dir_z[lane] = -x * std::sin(angle) - std::cos(angle);
    packet.ray.tnear[lane] = 0, packet.ray.tfar[lane] = INFINITY, packet.ray.time[lane] = 0;
    packet.ray.mask[lane] = ~0u, packet.ray.flags[lane] = 0;
    packet.hit.geomID[lane] = RTC_INVALID_GEOMETRY_ID;
  }
}

double median_us(RTCScene scene, double zoom) {
  alignas(64) static RTCRayHit16 packet;
  alignas(64) int valid[PACKET];
  std::fill(valid, valid + PACKET, -1);
  std::vector<double> times;
  long hits = 0;
  for (int round = 0; round < ROUNDS; round++) {
    auto start = std::chrono::steady_clock::now();
    for (int row = 0; row < SIDE; row += 4) {
      for (int column = 0; column < SIDE; column += 4) {
        aim(packet, row, column, zoom, TURN * std::fmod(round * GOLDEN, 1.0));
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
        rtcIntersect16(valid, scene, &context, &packet);
        for (int lane = 0; lane < PACKET; lane++) hits += packet.hit.geomID[lane] != RTC_INVALID_GEOMETRY_ID;
      }
    }
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  if (hits == 0) std::fprintf(stderr, "nothing was seen at zoom %g\n", zoom), std::exit(1);
  std::nth_element(times.begin(), times.begin() + ROUNDS / 2, times.end());
  return times[ROUNDS / 2];
}

int main(int count, char** words) {
  if (count != 8) return std::fprintf(stderr, "usage: embree OBJ W X Y Z ZOOM ZOOM\n"), 2;
  double rotation[4];
  for (int part = 0; part < 4; part++) rotation[part] = std::atof(words[2 + part]);
  RTCScene scene = read(rtcNewDevice("threads=1"), words[1], rotation);
  for (int camera = 6; camera < 8; camera++) std::printf("%.2f\n", median_us(scene, std::atof(words[camera])));
}
