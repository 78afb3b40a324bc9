// Workload of pugixml: parsing, XPath, walking, changing, copying and printing. The argument is how
// often.
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "pugixml.hpp"

namespace {

unsigned seed = 1;

unsigned RandomBelow(unsigned n) {
  seed = seed * 1103515245u + 12345u;
  return (seed >> 16) % n;
}

std::string MakeText() {
  std::string text = "<?xml version=\"1.0\"?>\n<!DOCTYPE park>\n<park>\n";
  for (int field = 0; field < 10; ++field) {
    text += "  <field name='f" + std::to_string(field) + "' size=\"" +
            std::to_string(RandomBelow(500)) + "\">\n";
    for (int tree = 0; tree < 12; ++tree) {
      text += "    <tree kind=\"" + std::string(RandomBelow(2) ? "oak" : "elm &amp; ash") +
              "\" height=\"" + std::to_string(RandomBelow(300) / 10.0) + "\"><planted>" +
              std::to_string(1800 + RandomBelow(220)) +
              "</planted>some &lt;text&gt;\r\n<![CDATA[a < b]]><!-- cut --></tree>\n";
    }
    text += "  </field>\n";
  }
  return text + "</park>\n";
}

class Counter : public pugi::xml_tree_walker {
 public:
  bool for_each(pugi::xml_node& node) override {
    for (pugi::xml_attribute attribute : node.attributes()) sum_ += attribute.as_double();
    sum_ += depth() + node.value()[0];
    return true;
  }
  double sum() const { return sum_; }

 private:
  double sum_ = 0;
};

double Query(const pugi::xml_document& document) {
  static const pugi::xpath_query by_height("//tree[@height > 15 and planted < 1950]");
  double sum = 0;
  for (pugi::xpath_node found : document.select_nodes(by_height))
    sum += found.node().child("planted").text().as_int();
  for (pugi::xpath_node found :
       document.select_nodes("/park/field[position() mod 2 = 1]/tree[last()]/@kind"))
    sum += found.attribute().value()[0];
  const std::string total =
      pugi::xpath_query(
          "concat(count(//planted), '-', sum(//field/@size), substring('abcdef', 2, 3))")
          .evaluate_string(document);
  return sum + static_cast<double>(total.size());
}

void Edit(pugi::xml_node park) {
  for (pugi::xml_node field : park.children("field")) {
    field.append_attribute("seen").set_value(true);
    field.remove_child(field.last_child());
    pugi::xml_node added = field.prepend_child("tree");
    added.append_attribute("kind") = "birch & co";
    added.append_child("planted").text().set(2020);
    field.append_copy(field.child("tree").next_sibling("tree"));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
  double sum = 0;
  for (int round = 0; round < rounds; ++round) {
    pugi::xml_document document;
    const unsigned options = round % 2 ? pugi::parse_full : pugi::parse_default;
    if (!document.load_string(MakeText().c_str(), options)) return 1;
    sum += Query(document);
    pugi::xml_document copy;
    copy.reset(document);
    Edit(copy.child("park"));
    Counter counter;
    copy.traverse(counter);
    std::ostringstream printed;
    copy.save(printed, "  ", round % 3 ? pugi::format_indent : pugi::format_raw);
    sum += counter.sum() + static_cast<double>(printed.str().size());
  }
  std::printf("%.2f\n", sum);
  return 0;
}
