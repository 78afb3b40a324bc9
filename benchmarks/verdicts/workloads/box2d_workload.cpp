// What Box2D is profiled on: a pyramid, a chain of joints, a car on rough ground, falling
// balls, rays and boxes asked for. The argument is how often.
#include <box2d/box2d.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

unsigned seed = 1;

float RandomBelow(float limit) {
  seed = seed * 1103515245u + 12345u;
  return limit * static_cast<float>((seed >> 16) % 1024) / 1024.0f;
}

b2Body* MakeBody(b2World* world, float x, float y, const b2Shape& shape, float density) {
  b2BodyDef definition;
  definition.type = density > 0 ? b2_dynamicBody : b2_staticBody;
  definition.position.Set(x, y);
  b2Body* body = world->CreateBody(&definition);
  b2FixtureDef fixture;
  fixture.shape = &shape;
  fixture.density = density;
  fixture.restitution = 0.2f;
  body->CreateFixture(&fixture);
  return body;
}

void MakeGround(b2World* world) {
  std::vector<b2Vec2> points;
  for (int i = 0; i <= 40; ++i)
    points.push_back(b2Vec2(-40.0f + 2.0f * i, i % 3 == 0 ? 0.4f : RandomBelow(0.3f)));
  b2ChainShape chain;
  chain.CreateChain(points.data(), static_cast<int>(points.size()), b2Vec2(-42.0f, 0.0f),
                    b2Vec2(42.0f, 0.0f));
  MakeBody(world, 0, 0, chain, 0);
}

void MakePyramid(b2World* world) {
  b2PolygonShape box;
  box.SetAsBox(0.5f, 0.5f);
  for (int row = 0; row < 8; ++row)
    for (int i = row; i < 8; ++i)
      MakeBody(world, -20.0f + i * 1.1f - row * 0.55f, 1.0f + row * 1.05f, box, 2.0f);
}

void MakeBridge(b2World* world) {
  b2PolygonShape plank;
  plank.SetAsBox(0.5f, 0.125f);
  b2Body* before = nullptr;
  for (int i = 0; i < 14; ++i) {
    b2Body* body =
        MakeBody(world, static_cast<float>(i), 9.0f, plank, i == 0 || i == 13 ? 0.0f : 15.0f);
    if (before) {
      b2RevoluteJointDef joint;
      joint.Initialize(before, body, b2Vec2(i - 0.5f, 9.0f));
      world->CreateJoint(&joint);
    }
    before = body;
  }
}

void MakeCar(b2World* world) {
  b2PolygonShape chassis;
  chassis.SetAsBox(1.5f, 0.4f);
  b2Body* car = MakeBody(world, 20.0f, 2.5f, chassis, 1.0f);
  b2CircleShape wheel;
  wheel.m_radius = 0.5f;
  for (float x : {19.0f, 21.0f}) {
    b2Body* body = MakeBody(world, x, 1.8f, wheel, 1.0f);
    b2WheelJointDef joint;
    joint.Initialize(car, body, body->GetPosition(), b2Vec2(0.0f, 1.0f));
    joint.motorSpeed = 8.0f;
    joint.maxMotorTorque = 20.0f;
    joint.enableMotor = true;
    world->CreateJoint(&joint);
  }
}

class Hits : public b2RayCastCallback, public b2QueryCallback {
 public:
  float ReportFixture(b2Fixture*, const b2Vec2&, const b2Vec2&, float fraction) override {
    return ++count_, fraction;
  }
  bool ReportFixture(b2Fixture*) override { return ++count_ < 1000000; }
  int count() const { return count_; }

 private:
  int count_ = 0;
};

double Simulate(int steps) {
  b2World world(b2Vec2(0.0f, -10.0f));
  MakeGround(&world);
  MakePyramid(&world);
  MakeBridge(&world);
  MakeCar(&world);
  b2CircleShape ball;
  ball.m_radius = 0.3f;
  Hits hits;
  for (int step = 0; step < steps; ++step) {
    if (step % 5 == 0 && step < 200)
      MakeBody(&world, -22.0f + RandomBelow(40.0f), 16.0f, ball, 1.0f)->SetBullet(step % 20 == 0);
    world.Step(1.0f / 60.0f, 8, 3);
    world.RayCast(&hits, b2Vec2(-40.0f, 3.0f), b2Vec2(40.0f, 1.0f + step % 5));
    b2AABB area;
    area.lowerBound.Set(-5.0f, 0.0f);
    area.upperBound.Set(15.0f, 10.0f);
    world.QueryAABB(&hits, area);
  }
  double sum = hits.count();
  for (const b2Body* body = world.GetBodyList(); body; body = body->GetNext())
    sum += body->GetPosition().x + 3 * body->GetPosition().y + body->GetAngle();
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  double sum = 0;
  for (int round = 0; round < rounds; ++round) sum += Simulate(150);
  std::printf("%.6f\n", sum);
  return 0;
}
