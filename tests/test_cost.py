import asyncio
import gc
import threading

from tests.cost import piece, spent

MANY = 30


def work(pieces=MANY):
    for _ in range(pieces):
        piece()


def test_what_the_body_does_counts():
    with spent() as cost:
        work()
    assert cost.pieces > MANY / 3


async def test_what_it_hands_to_other_threads_counts():
    with spent() as cost:
        await asyncio.gather(asyncio.to_thread(work), asyncio.to_thread(work))
    assert cost.pieces > MANY / 3


def test_what_other_threads_do_meanwhile_does_not():
    begin, end = threading.Event(), threading.Event()

    def other():
        begin.wait()
        work()
        end.set()

    thread = threading.Thread(target=other)
    thread.start()
    with spent() as cost:
        begin.set()
        end.wait()
    thread.join()
    assert cost.pieces < MANY / 3


def test_nor_does_what_other_tests_have_left():
    left = []
    gc.callbacks.append(lambda *_: left.append(1))
    try:
        with spent():
            kept = [[] for _ in range(100_000)]
            collections = len(left)
        assert not collections and len(kept) == 100_000
    finally:
        gc.callbacks.pop()
    assert gc.isenabled()
