// What JsonCpp is profiled on: values in maps and vectors, made, written, read, compared,
// changed and asked by path. The argument is how often.
#include <json/json.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>

namespace {

unsigned seed = 1;

unsigned RandomBelow(unsigned n) {
  seed = seed * 1103515245u + 12345u;
  return (seed >> 16) % n;
}

Json::Value MakeOrder(int number) {
  Json::Value order;
  order["id"] = number;
  order["customer"]["name"] = "customer \"" + std::to_string(RandomBelow(100)) + "\"";
  order["customer"]["since"] = 1990 + static_cast<int>(RandomBelow(30));
  order["paid"] = RandomBelow(2) == 0;
  order["note"] = RandomBelow(3) ? Json::Value("gr\xc3\xbc\xc3\x9f\x65\n\t") : Json::Value();
  for (unsigned i = 1 + RandomBelow(6); i > 0; --i) {
    Json::Value line;
    line["product"] = "p" + std::to_string(RandomBelow(500));
    line["price"] = RandomBelow(10000) / 7.0;
    line["count"] = RandomBelow(9);
    order["lines"].append(line);
  }
  return order;
}

double Sum(const Json::Value& orders) {
  const Json::Path first(".lines[0].price"), name(".customer.name");
  double sum = 0;
  for (const Json::Value& order : orders) {
    for (const Json::Value& line : order["lines"])
      sum += line["price"].asDouble() * line["count"].asInt();
    sum += first.make(const_cast<Json::Value&>(order)).asDouble() +
           name.resolve(order).asString().size();
    if (order.isMember("paid") && order["paid"].asBool()) sum += order.get("discount", 1).asInt();
  }
  return sum;
}

void Edit(Json::Value* orders) {
  for (Json::ArrayIndex i = 0; i < orders->size(); i += 2) {
    Json::Value& order = (*orders)[i];
    order.removeMember("note");
    order["lines"].insert(0, Json::Value(Json::objectValue));
    Json::Value removed;
    order["lines"].removeIndex(order["lines"].size() - 1, &removed);
    order["lines"][0]["product"].swap(order["customer"]["name"]);
  }
  for (const std::string& member : (*orders)[1].getMemberNames())
    (*orders)[0][member + "2"] = (*orders)[1][member];
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  double sum = 0;
  for (int round = 0; round < rounds; ++round) {
    Json::Value orders;
    for (int i = 0; i < 80; ++i) orders.append(MakeOrder(i));
    Json::StreamWriterBuilder builder;
    builder["indentation"] = round % 2 ? "\t" : "";
    const std::string text = Json::writeString(builder, orders);
    Json::CharReaderBuilder readers;
    const std::unique_ptr<Json::CharReader> reader(readers.newCharReader());
    Json::Value read;
    std::string errors;
    if (!reader->parse(text.data(), text.data() + text.size(), &read, &errors)) return 1;
    sum += Sum(read) + static_cast<double>(text.size());
    Json::Value copy = read;
    if (copy != read) return 1;
    Edit(&copy);
    sum += copy < read;
    sum += static_cast<double>(copy.toStyledString().size());
    Json::Value commented;
    std::istringstream stream(
        "// first\n{ \"a\": [1, 2.5e3, -7], /* second */ \"b\": \"\\u00e9\\ud834\\udd1e\" }\n");
    stream >> commented;
    sum += commented["a"][1].asDouble() + commented["b"].asString().size();
  }
  std::printf("%.3f\n", sum);
  return 0;
}
