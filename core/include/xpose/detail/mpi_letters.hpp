// Short messages between the ranks of one host, in memory that they share: MPI takes longer for its
// own. A part of <xpose/mpi.hpp>.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <utility>
#include <vector>
#include <xpose/detail/host_memory.hpp>

namespace xpose::detail {

// A rank has a box for each other rank of its host, with a few places in turn. The sender fills a
// place, and the receiver empties it. Letters of one channel keep their order. A letter leaves at
// once where a place is empty. [one thread at a time]
class MpiLetters {
 public:
  // Collective over `comm`, which returns errors. No letters where the ranks of a host share no
  // memory.
  explicit MpiLetters(MPI_Comm comm) {
    int size = 0;
    MPI_Comm_size(comm, &size);
    peers_.resize(static_cast<std::size_t>(size));
    MPI_Comm host = MPI_COMM_NULL;
    if (size < 2 ||
        MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host) != MPI_SUCCESS)
      return;
    if (make_boxes(host)) find_boxes(comm, host);
    MPI_Comm_free(&host);
  }

  // The same answer on both ranks of a message.
  bool carries(int rank, std::uint64_t bytes) const {
    return bytes <= most_bytes_ && peer(rank).out != nullptr;
  }

  void send(int rank, int channel, std::shared_ptr<const std::byte[]> data, std::uint64_t bytes,
            std::uint64_t id) {
    peer(rank).unsent.push_back({channel, bytes, id, std::move(data)});
    put(peer(rank));
  }

  void receive(int rank, int channel, std::shared_ptr<std::byte[]> data, std::uint64_t bytes,
               std::uint64_t id) {
    Peer& from = peer(rank);
    const Wanted wanted{channel, bytes, id, std::move(data)};
    const auto early = of_channel(from.early, channel);
    if (early == from.early.end()) return from.wanted.push_back(wanted);
    end(wanted, early->data.data(), early->data.size());
    from.early.erase(early);
  }

  // The ids of letters that have left, or have come, since the last call.
  std::vector<std::uint64_t> look() {
    for (const int rank : here_) {
      put(peer(rank));
      take(peer(rank));
    }
    return std::exchange(ended_, {});
  }

 private:
  static constexpr std::uint64_t kPlaces = 4;
  static constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 10;  // of a letter
  static constexpr std::uint64_t kBoxBytes = std::uint64_t{1} << 20;    // of all boxes of a rank
  static constexpr std::uint64_t kLine = 64;

  // A place, before the bytes of its letter.
  struct Place {
    std::atomic<std::uint64_t> is_full{0};
    std::uint64_t channel = 0, bytes = 0;

    std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
  };
  template <class Data>
  struct Letter {
    int channel;
    std::uint64_t bytes, id;
    Data data;
  };
  using Unsent = Letter<std::shared_ptr<const std::byte[]>>;
  using Wanted = Letter<std::shared_ptr<std::byte[]>>;
  struct Early {
    int channel;
    std::vector<std::byte> data;
  };
  struct Peer {
    std::byte *out = nullptr, *in = nullptr;  // boxes; null: of another host, or the own rank
    std::uint64_t sent = 0, taken = 0;
    std::deque<Unsent> unsent = {};
    std::deque<Wanted> wanted = {};
    std::deque<Early> early = {};  // taken before they were wanted
  };

  Peer& peer(int rank) { return peers_[static_cast<std::size_t>(rank)]; }
  const Peer& peer(int rank) const { return peers_[static_cast<std::size_t>(rank)]; }
  std::uint64_t place_bytes() const { return kLine + most_bytes_; }
  std::uint64_t box_bytes() const { return kPlaces * place_bytes(); }
  std::uint64_t rank_bytes(std::uint64_t ranks) const { return ranks * box_bytes(); }
  Place& place(std::byte* box, std::uint64_t number) const {
    return *reinterpret_cast<Place*>(box + number % kPlaces * place_bytes());
  }
  template <class Letters>
  static typename Letters::iterator of_channel(Letters& letters, int channel) {
    return std::find_if(letters.begin(), letters.end(),
                        [channel](const auto& letter) { return letter.channel == channel; });
  }

  void put(Peer& to) {
    for (; !to.unsent.empty(); to.unsent.pop_front()) {
      Place& place = this->place(to.out, to.sent);
      if (place.is_full.load(std::memory_order_acquire) != 0) return;
      const Unsent& letter = to.unsent.front();
      place.channel = static_cast<std::uint64_t>(letter.channel);
      place.bytes = letter.bytes;
      std::memcpy(place.data(), letter.data.get(), letter.bytes);
      place.is_full.store(1, std::memory_order_release);
      ++to.sent;
      ended_.push_back(letter.id);
    }
  }

  void take(Peer& from) {
    while (!from.wanted.empty()) {
      Place& place = this->place(from.in, from.taken);
      if (place.is_full.load(std::memory_order_acquire) == 0) return;
      const auto channel = static_cast<int>(place.channel);
      const auto wanted = of_channel(from.wanted, channel);
      if (wanted != from.wanted.end()) {
        end(*wanted, place.data(), place.bytes);
        from.wanted.erase(wanted);
      } else {
        from.early.push_back({channel, {place.data(), place.data() + place.bytes}});
      }
      place.is_full.store(0, std::memory_order_release);
      ++from.taken;
    }
  }

  void end(const Wanted& wanted, const std::byte* data, std::uint64_t bytes) {
    std::memcpy(wanted.data.get(), data, std::min(bytes, wanted.bytes));
    ended_.push_back(wanted.id);
  }

  // In memory of their own, since a window of MPI is freed by all ranks at once: those that let go
  // of several in another order would wait for each other for ever. All ranks of the host have
  // boxes, or none.
  bool make_boxes(MPI_Comm host) {
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
    int count = 0, own = 0;
    MPI_Comm_size(host, &count);
    MPI_Comm_rank(host, &own);
    if (count < 2) return false;
    const auto ranks = static_cast<std::uint64_t>(count);
    most_bytes_ = std::min(kBoxBytes / ranks / kPlaces / kLine * kLine, kMostBytes);
    HostMemory::Name name;
    if (own == 0 && (memory_ = HostMemory::make(ranks * rank_bytes(ranks))) != nullptr)
      name = memory_->name();
    MPI_Bcast(&name, sizeof name, MPI_BYTE, 0, host);
    if (own != 0) memory_ = HostMemory::open(name, ranks * rank_bytes(ranks));
    const std::uint64_t at = static_cast<std::uint64_t>(own) * rank_bytes(ranks);
    int are_made = memory_ != nullptr ? 1 : 0;
    for (std::uint64_t i = 0; are_made != 0 && i < kPlaces * ranks; ++i)
      new (memory_->data() + at + i * place_bytes()) Place;
    MPI_Allreduce(MPI_IN_PLACE, &are_made, 1, MPI_INT, MPI_MIN, host);
    if (are_made == 0) memory_ = nullptr;
    if (memory_ != nullptr) memory_->close_file();
    return are_made != 0;
  }

  void find_boxes(MPI_Comm comm, MPI_Comm host) {
    int count = 0, own = 0;
    MPI_Comm_size(host, &count);
    MPI_Comm_rank(host, &own);
    const auto box = [&](int of, int from) {
      return memory_->data() +
             static_cast<std::uint64_t>(of) * rank_bytes(static_cast<std::uint64_t>(count)) +
             static_cast<std::uint64_t>(from) * box_bytes();
    };
    const std::vector<int> numbers = numbers_on_host(comm, host);
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      if (numbers[i] == MPI_UNDEFINED || numbers[i] == own) continue;
      peers_[i].in = box(own, numbers[i]);
      peers_[i].out = box(numbers[i], own);
      here_.push_back(static_cast<int>(i));
    }
  }

  // By rank of `comm`; MPI_UNDEFINED: of another host.
  std::vector<int> numbers_on_host(MPI_Comm comm, MPI_Comm host_comm) const {
    std::vector<int> ranks(peers_.size()), numbers(peers_.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<int>(i);
    MPI_Group all = MPI_GROUP_NULL, host = MPI_GROUP_NULL;
    MPI_Comm_group(comm, &all);
    MPI_Comm_group(host_comm, &host);
    MPI_Group_translate_ranks(all, static_cast<int>(ranks.size()), ranks.data(), host,
                              numbers.data());
    MPI_Group_free(&all);
    MPI_Group_free(&host);
    return numbers;
  }

  std::unique_ptr<HostMemory> memory_;
  std::uint64_t most_bytes_ = 0;
  std::vector<Peer> peers_;  // by rank
  std::vector<int> here_;    // the other ranks of this host
  std::vector<std::uint64_t> ended_;
};

}  // namespace xpose::detail
