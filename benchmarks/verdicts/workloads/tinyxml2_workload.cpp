// What TinyXML-2 is profiled on: parsing, walking, looking up, changing, copying and
// printing documents of nested elements. The argument is how often.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tinyxml2.h"

using namespace tinyxml2;

namespace {

unsigned seed = 1;

unsigned RandomBelow(unsigned n) {
  seed = seed * 1103515245u + 12345u;
  return (seed >> 16) % n;
}

std::string MakeText() {
  std::string text = "<?xml version=\"1.0\"?>\n<!-- shelves -->\n<library>\n";
  for (int shelf = 0; shelf < 12; ++shelf) {
    text += "  <shelf id=\"" + std::to_string(shelf) + "\" place='hall'>\n";
    for (int book = 0; book < 20; ++book) {
      text += "    <book id=\"" + std::to_string(book) + "\" year=\"" +
              std::to_string(1900 + RandomBelow(120)) + "\" lent=\"" +
              (RandomBelow(2) ? "true" : "false") + "\"><title>A &amp; B &lt;" +
              std::to_string(RandomBelow(1000)) + "&gt;</title><price>" +
              std::to_string(RandomBelow(10000) / 100.0) + "</price><note/></book>\n";
    }
    text += "  </shelf>\n";
  }
  return text + "</library>\n";
}

double Sum(const XMLElement* library) {
  double sum = 0;
  for (const XMLElement* shelf = library->FirstChildElement("shelf"); shelf;
       shelf = shelf->NextSiblingElement("shelf")) {
    for (const XMLElement* book = shelf->FirstChildElement("book"); book;
         book = book->NextSiblingElement("book")) {
      sum += book->IntAttribute("year") + book->BoolAttribute("lent");
      sum += book->FirstChildElement("price")->DoubleText();
      sum += book->FirstChildElement("title")->GetText()[0];
    }
  }
  return sum;
}

void Edit(XMLElement* library) {
  for (XMLElement* shelf = library->FirstChildElement("shelf"); shelf;
       shelf = shelf->NextSiblingElement("shelf")) {
    shelf->SetAttribute("counted", 20);
    for (int i = 0; i < 3; ++i) {
      shelf->DeleteChild(shelf->LastChild());
      shelf->InsertNewChildElement("book")->SetAttribute("id", 100 + i);
    }
  }
}

class Counter : public XMLVisitor {
 public:
  bool VisitEnter(const XMLElement& element, const XMLAttribute* first) override {
    for (; first; first = first->Next()) ++count_;
    return element.Name()[0] != 'x';
  }
  bool Visit(const XMLText& text) override { return ++count_, text.Value()[0] != 'x'; }
  long count() const { return count_; }

 private:
  long count_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 20;
  double sum = 0;
  for (int round = 0; round < rounds; ++round) {
    XMLDocument document;
    if (document.Parse(MakeText().c_str()) != XML_SUCCESS) return 1;
    sum += Sum(document.RootElement());
    XMLDocument copy;
    document.DeepCopy(&copy);
    Edit(copy.RootElement());
    Counter counter;
    copy.Accept(&counter);
    XMLPrinter printer(nullptr, round % 2 == 0);
    copy.Print(&printer);
    sum += printer.CStrSize() + counter.count();
  }
  std::printf("%.2f\n", sum);
  return 0;
}
