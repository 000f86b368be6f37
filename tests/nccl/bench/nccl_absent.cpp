#include "contestant.hpp"

namespace xpose::bench {

std::unique_ptr<Nccl> make_nccl() {
  throw Error(ErrorKind::invalid,
              "this bench was built without NCCL: configure with NCCL_ROOT, and build again");
}

}  // namespace xpose::bench
