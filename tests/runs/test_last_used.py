"""The memory that assembly keeps configurations in."""

from concurrent.futures import ThreadPoolExecutor

from apps.runs.last_used import LastUsed


def test_what_was_not_used_for_longest_makes_room() -> None:
    memory: LastUsed[str, int] = LastUsed(most=2)
    memory.put("a", 1)
    memory.put("b", 2)
    assert memory.get("a") == 1
    memory.put("c", 3)
    assert [memory.get(key) for key in "abc"] == [1, None, 3]


def test_a_value_that_is_put_again_is_the_newest() -> None:
    memory: LastUsed[str, int] = LastUsed(most=2)
    memory.put("a", 1)
    memory.put("b", 2)
    memory.put("a", 4)
    memory.put("c", 3)
    assert [memory.get(key) for key in "abc"] == [4, None, 3]


def test_threads_that_crowd_each_other_out_read_their_own_values_or_nothing() -> None:
    memory: LastUsed[int, int] = LastUsed(most=3)

    def use(thread: int) -> bool:
        for turn in range(5_000):
            key = (thread + turn) % 8
            memory.put(key, key)
            if memory.get(key) not in (key, None):
                return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(use, range(8)))
