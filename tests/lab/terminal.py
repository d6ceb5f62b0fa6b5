"""heddle lab --step in a pseudo terminal: the cursor keys move between cycles, and the terminal's mode comes back on every way out."""
import os, select, signal, sys, termios, time


def read_until(fd, text, seconds=10):
    out, end = b"", time.time() + seconds
    while text not in out:
        left = end - time.time()
        if left <= 0 or not select.select([fd], [], [], left)[0]:
            raise SystemExit("no %r in %r" % (text, out[-400:]))
        try:
            out += os.read(fd, 65536)
        except OSError:
            raise SystemExit("the program ended before %r" % text)
    return out


def main():
    heddle = sys.argv[1]
    for way in ("q", "term", "int", "eof"):
        master, slave = os.openpty()
        before = termios.tcgetattr(slave)
        pid = os.fork()
        if pid == 0:
            os.setsid()
            for n in (0, 1):
                os.dup2(slave, n)
            os.environ["TERM"] = "xterm"
            os.execv(heddle, [heddle, "lab", "tomasulo", "six", "--step"])
        read_until(master, b"cycle 1 of 20")
        assert termios.tcgetattr(slave)[3] & termios.ICANON == 0
        for keys, cycle in ((b"\x1b[C", 2), (b"\x1b[B", 12), (b"\x1b[D", 11), (b"\x1b[F", 20), (b"\x1b[C", 20), (b"\x1b[H", 1), (b"\x1bOC", 2), (b"\x1b[A", 1), (b" ", 2), (b"x", 2)):
            os.write(master, keys)
            out = read_until(master, b"cycle %d of 20   " % cycle)
        os.write(master, b"t")
        read_until(master, b"cycles to 2 of 20")
        if way == "q":
            os.write(master, b"q")
        elif way == "eof":
            os.write(master, b"\x04")
        else:
            os.kill(pid, signal.SIGTERM if way == "term" else signal.SIGINT)
        status = os.waitpid(pid, 0)[1]
        if way in ("q", "eof"):
            assert os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0, (way, status)
        else:
            assert os.WIFSIGNALED(status), (way, status)
        after = termios.tcgetattr(slave)
        assert after == before, (way, before, after)
        out = read_until(master, b"\x1b[?1049l")
        os.close(slave)
        os.close(master)
    print("the terminal is as it was")


main()
