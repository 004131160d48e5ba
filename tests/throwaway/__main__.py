"""`make stores`: a throw-away PostgreSQL and Redis to work against, until Ctrl-C."""

import signal
import sys

from tests.throwaway.postgresql import PostgresCluster
from tests.throwaway.redis_server import RedisServer


def main() -> None:
    signals = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    with PostgresCluster() as cluster, RedisServer() as redis:
        sys.stdout.write(f"export DATABASE_URL={cluster.url}\nexport REDIS_URL={redis.url}\n")
        sys.stdout.flush()
        signal.sigwait(signals)


if __name__ == "__main__":
    main()
