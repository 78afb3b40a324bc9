#include "page/views/target/drawn_graph.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "page/html/table.h"
#include "page/views/addresses.h"
#include "page/words/words.h"

namespace gprofhub::page {

Html DrawnGraphView(const Context& context, const TargetPlace& place, const DrawnGraph& graph,
                    uint32_t nodes) {
  std::vector<Html> sizes;
  for (const uint32_t size : {20u, 50u, 100u, 200u}) {
    const Url url = TargetUrl(context.project, place.run, "drawn", place.target)
                        .With("nodes", absl::StrCat(size));
    Attributes attributes = {Href(url)};
    if (size == nodes) attributes.push_back(Attribute("aria-current", "page"));
    sizes.push_back(El("li", {}, El("a", attributes, Html(absl::StrCat(size)))));
  }
  std::vector<Row> rows;
  for (const DrawnGraph::Node& node : graph.nodes) {
    Row row;
    row.css_class = "walk";
    row.cells = {Link(GraphUrl(context, place, node.name), FunctionCode(node.display)),
                 ShareOf(node.share), ShareOf(node.self_share), CountOf(node.name, node.calls)};
    rows.push_back(std::move(row));
  }
  const Url data = Url::Path({"api", "v1", "projects", context.project, "runs", place.run, "graph"})
                       .With("target", place.target)
                       .With("nodes", absl::StrCat(nodes));
  return Join(
      {TargetHead(context, place, "The hottest part of the call graph", "drawn"),
       El("nav", {{"class", "tabs"}, {"aria-label", "How many functions"}},
          El("ul", {}, Join(sizes))),
       El("div",
          {{"id", "drawn"},
           {"tabindex", "0"},
           {"data-url", data.text()},
           {"data-entry", GraphUrl(context, place, "").text()},
           {"role", "group"},
           {"aria-label", "Drawn call graph; the table below has the same"}},
          El("p", {{"class", "about"}}, "Scripts draw the graph here. The table has the same.")),
       Table("Functions of the drawing",
             {{"Function"},
              {"Share", true, "With everything called"},
              {"Own", true},
              {"Calls", true}},
             rows)});
}

std::string DrawnGraphJson(const DrawnGraph& graph) {
  nlohmann::ordered_json json;
  nlohmann::ordered_json& nodes = json["nodes"] = nlohmann::ordered_json::array();
  for (const DrawnGraph::Node& node : graph.nodes) {
    nodes.push_back({{"name", node.name},
                     {"display", base::Printable(node.display)},
                     {"self_share", node.self_share},
                     {"share", node.share},
                     {"calls", node.calls}});
  }
  nlohmann::ordered_json& edges = json["edges"] = nlohmann::ordered_json::array();
  for (const DrawnGraph::Edge& edge : graph.edges) {
    edges.push_back(
        {{"from", edge.from}, {"to", edge.to}, {"calls", edge.calls}, {"share", edge.share}});
  }
  return json.dump(-1, ' ', /*ensure_ascii=*/true,
                   nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace gprofhub::page
