#include "reporter/forge/testing/fake_forge.h"

#include <httplib.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace gprofhub::reporter {

FakeForge::FakeForge() : server_(std::make_unique<httplib::Server>()) {}

FakeForge::~FakeForge() {
  server_->stop();
  if (thread_.joinable()) thread_.join();
}

void FakeForge::Start() {
  port_ = server_->bind_to_any_port("127.0.0.1");
  thread_ = std::thread([this] { server_->listen_after_bind(); });
  while (!server_->is_running()) std::this_thread::yield();
}

std::string FakeForge::url() const { return absl::StrCat("http://127.0.0.1:", port_); }

ForgeClock FakeForge::clock() {
  return {[this] { return now_; },
          [this](absl::Duration duration) {
            slept.push_back(duration);
            now_ += duration;
          }};
}

FakeComment& FakeForge::AddComment(const std::string& author, const std::string& body) {
  comments.push_back({next_id++, author, body, ""});
  return comments.back();
}

void FakeForge::Route(const std::string& method, const std::string& pattern, Handler handler) {
  const auto wrapped = [this, handler = std::move(handler)](const httplib::Request& request,
                                                            httplib::Response& response) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::string name = absl::StrCat(request.method, " ", request.path);
    requests.push_back(name);
    const Trouble trouble = hook ? hook(name) : Trouble();
    if (trouble.status == 0 || trouble.after) handler(request, response);
    if (trouble.status == 0) return;
    response.status = trouble.status;
    response.body = R"({"message": "trouble"})";
    for (const auto& [header, value] : trouble.headers) response.set_header(header.c_str(), value);
  };
  if (method == "GET") server_->Get(pattern, wrapped);
  if (method == "POST") server_->Post(pattern, wrapped);
  if (method == "PUT") server_->Put(pattern, wrapped);
  if (method == "PATCH") server_->Patch(pattern, wrapped);
  if (method == "DELETE") server_->Delete(pattern, wrapped);
}

void FakeForge::AnswerPage(const httplib::Request& request, httplib::Response& response,
                           const Json& list, const std::string& field) {
  const size_t page =
      request.has_param("page") ? std::stoul(request.get_param_value("page")) : size_t{1};
  Json part = Json::array();
  for (size_t i = (page - 1) * page_size; i < list.size() && i < page * page_size; ++i) {
    part.push_back(list[i]);
  }
  if (page * page_size < list.size()) {
    std::string target = absl::StrCat(url(), request.path, "?");
    for (const auto& [name, value] : request.params) {
      if (name != "page") absl::StrAppend(&target, name, "=", value, "&");
    }
    response.set_header("Link", absl::StrCat("<", url(), "/first>; rel=\"first\", <", target,
                                             "page=", page + 1, ">; rel=\"next\""));
  }
  Answer(response, field.empty() ? part : Json{{field, part}});
}

void FakeForge::Answer(httplib::Response& response, const Json& body, int status) {
  response.status = status;
  response.set_content(body.dump(), "application/json");
}

nlohmann::json FakeForge::BodyOf(const httplib::Request& request) {
  const Json body = Json::parse(request.body, nullptr, false);
  return body.is_discarded() ? Json() : body;
}

const std::string* FakeForge::FindFile(const std::string& revision, const std::string& path) const {
  const auto at = files_at.find(revision);
  if (revision != "main" && at == files_at.end()) return nullptr;
  const std::map<std::string, std::string>& there = revision == "main" ? files : at->second;
  const auto file = there.find(path);
  return file == there.end() ? nullptr : &file->second;
}

bool FakeForge::Writes(const std::string& user) const {
  return std::find(writers.begin(), writers.end(), user) != writers.end();
}

FakeComment* FakeForge::FindComment(const std::string& id) {
  for (FakeComment& comment : comments) {
    if (absl::StrCat(comment.id) == id) return &comment;
  }
  return nullptr;
}

FakeJob& FakeForge::AddJob(const std::string& name) {
  jobs.push_back({next_id++, name, head, true, 0});
  return jobs.back();
}

FakeJob* FakeForge::FindJob(const std::string& id) {
  for (FakeJob& job : jobs) {
    if (absl::StrCat(job.id) == id) return &job;
  }
  return nullptr;
}

void FakeForge::AnswerNewIssue(const Json& body, const IssueFields& fields,
                               const std::string& label, httplib::Response& response) {
  FakeIssue issue;
  issue.number = next_id++;
  issue.author = kSelf;
  issue.title = body.value("title", "");
  issue.body = body.value(fields.body, "");
  issue.label = label;
  issues.push_back(issue);
  Answer(response, {{fields.number, issue.number}}, 201);
}

void FakeForge::AnswerEditedIssue(const httplib::Request& request, const IssueFields& fields,
                                  std::optional<bool> open, httplib::Response& response) {
  for (FakeIssue& issue : issues) {
    if (absl::StrCat(issue.number) != request.matches[1].str()) continue;
    const Json body = BodyOf(request);
    ++issue.edits;
    issue.title = body.value("title", issue.title);
    issue.body = body.value(fields.body, issue.body);
    issue.open = open.value_or(issue.open);
    return Answer(response, {{fields.number, issue.number}});
  }
  Answer(response, {{"message", "404 Not found"}}, 404);
}

std::string TestRsaKey() {
  static const std::string* const key = [] {
    EVP_PKEY* const made = EVP_RSA_gen(2048);
    BIO* const file = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(file, made, nullptr, nullptr, 0, nullptr, nullptr);
    char* text = nullptr;
    const long length = BIO_get_mem_data(file, &text);
    auto* const pem = new std::string(text, static_cast<size_t>(length));
    BIO_free(file);
    EVP_PKEY_free(made);
    return pem;
  }();
  return *key;
}

}  // namespace gprofhub::reporter
