"""heddle from Python: programs through the command, kernels through the shared library. No build step.

    import heddle
    r = heddle.run("bfs", machine="gtx480", set={"sm.sched": "gto"})
    r["cycles"], r["formulas"]["l1_hit_rate"]
    pandas.DataFrame(heddle.launches(r))        # a row a launch, every statistic a column

    r = heddle.exec(["./my_opencl_program", "64"], functional=True)

    with heddle.Device("gtx480") as gpu:
        scale = gpu.load("scale.ptx").kernel("scale")
        data = gpu.array(range(256), "I")
        result = scale(data, heddle.u32(3), grid=4, block=64)
        result["cycles"], gpu.stat("warp_ipc"), data.read()

Results are plain dicts as the command's --json writes them. The command is `heddle` of the build beside this file
or in PATH, the library libheddle.so.0 likewise; assign to heddle.command and heddle.library to use others.

Not modelled here: textures, traces and audits, which the command has (options=["--audit"]) and heddle.h too."""

import array as _array
import ctypes as _c
import json as _json
import os as _os
import shutil as _shutil
import subprocess as _subprocess
import tempfile as _tempfile

_here = _os.path.dirname(_os.path.abspath(__file__))
_build = _os.path.join(_here, "..", "build")


def _first(paths, otherwise):
    return next((p for p in paths if _os.path.exists(p)), otherwise)


# python/ of a checkout has its build beside it; an installation has both where the system looks
command = _first([_os.path.join(_build, "heddle")], None) or _shutil.which("heddle") or "heddle"
library = _first([_os.path.join(_build, "libheddle.so.0")], "libheddle.so.0")


class Error(Exception):
    """What heddle refused or a simulated program did wrong; `code` is the exit code or status, `result` what is
    known of the run, or None."""

    def __init__(self, message, code, result=None):
        super().__init__(message.strip() or "heddle ended with code %d" % code)
        self.code, self.result = code, result


# --- programs: the command and its JSON


def _options(machine, set, functional, threads, options):
    words = ["--machine", str(machine)] if machine else []
    for key, value in (set or {}).items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        words += ["--set", "%s=%s" % (key, text)]
    words += ["--functional"] if functional else []
    words += ["--threads", str(threads)] if threads else []
    return words + [str(o) for o in options]


def _call(verb, words, program, check, output):
    with _tempfile.TemporaryDirectory(prefix="heddle-") as folder:
        path = _os.path.join(folder, "result.json")
        line = [command, verb, "--quiet", "--json", path] + words + program
        done = _subprocess.run(line, stdout=output, stderr=_subprocess.PIPE, text=True)
        result = None
        if _os.path.exists(path):
            with open(path) as f:
                result = _json.load(f)
    if done.returncode and (check or result is None):
        raise Error(done.stderr, done.returncode, result)
    return result


def run(program, *, machine=None, set=None, size=None, manifest=None, functional=False, threads=None, options=(), check=True):
    """Runs a bundled workload, a manifest, or a program with a manifest (a path, or a dict); returns its results.

    `set` maps keys of the machine to values; `options` are further words of `heddle run`. A run whose output is
    not the expected one, or that ends in a fault, raises Error, unless check is False and there are results."""
    words = _options(machine, set, functional, threads, options)
    words += ["--size", size] if size else []
    if not isinstance(manifest, dict):
        words += ["--manifest", str(manifest)] if manifest else []
        return _call("run", words, ["--", str(program)], check, _subprocess.DEVNULL)
    with _tempfile.TemporaryDirectory(prefix="heddle-") as folder:
        path = _os.path.join(folder, "manifest.json")
        with open(path, "w") as f:
            _json.dump(manifest, f)
        return _call("run", words + ["--manifest", path], ["--", str(program)], check, _subprocess.DEVNULL)


def exec(program, *, machine=None, set=None, functional=False, threads=None, options=(), check=True, output=None):
    """Runs an unmodified OpenCL program (a list of words, or one) on the simulated GPU; returns its results.

    The program's standard output is the caller's, or what `output` says (subprocess.DEVNULL, a file)."""
    words = _options(machine, set, functional, threads, options)
    program = [program] if isinstance(program, (str, _os.PathLike)) else list(program)
    return _call("exec", words, ["--"] + [str(w) for w in program], check, output)


def flat(record, prefix=""):
    """A nested dict as one level: {"cpi.gsi.total.base": 12, ...}. Lists are left out but for those of three
    numbers (grids and blocks), which become text such as "4x1x1"."""
    row = {}
    for key, value in record.items():
        if isinstance(value, dict):
            row.update(flat(value, prefix + key + "."))
        elif not isinstance(value, list):
            row[prefix + key] = value
        elif len(value) == 3 and all(isinstance(x, int) for x in value):
            row[prefix + key] = "x".join(map(str, value))
    return row


def launches(result):
    """A list of flat dicts, one for each launch: what pandas.DataFrame takes."""
    return [flat(x) for x in result["launches"]]


def kernels(result):
    """The same for each kernel, all its launches together."""
    return [flat(x) for x in result["kernels"]]


def samples(program, **more):
    """Runs as run() does and returns (result, rows): a dict of figures for every sampled interval."""
    import csv

    with _tempfile.TemporaryDirectory(prefix="heddle-") as folder:
        path = _os.path.join(folder, "samples.csv")
        more["options"] = list(more.get("options", ())) + ["--samples", path]
        result = run(program, **more)
        with open(path, newline="") as f:
            rows = [{k: _number(v) for k, v in row.items()} for row in csv.DictReader(f)]
    return result, rows


def _number(text):
    for kind in (int, float):
        try:
            return kind(text)
        except (TypeError, ValueError):
            pass
    return text


# --- kernels: the library


class _Arg(_c.Structure):
    _fields_ = [("data", _c.c_void_p), ("size_b", _c.c_uint32)]


class _Launch(_c.Structure):
    _fields_ = [
        ("grid", _c.c_uint32 * 3),
        ("block", _c.c_uint32 * 3),
        ("dynamic_shared_b", _c.c_uint32),
        ("args", _c.POINTER(_Arg)),
        ("nargs", _c.c_uint32),
        ("registers", _c.c_uint32),
        ("functional", _c.c_bool),
        ("local_free", _c.c_bool),
        ("uniform_barriers", _c.c_bool),
    ]


_CLASSES = 32  # HEDDLE_MAX_CLASSES


class _Result(_c.Structure):
    _fields_ = [
        ("warp_instructions", _c.c_uint64),
        ("thread_instructions", _c.c_uint64),
        ("class_warp_instructions", _c.c_uint64 * _CLASSES),
        ("ctas", _c.c_uint64),
        ("threads", _c.c_uint64),
        ("warps", _c.c_uint64),
        ("registers", _c.c_uint32),
        ("divergent_branches", _c.c_uint64),
        ("global_loads", _c.c_uint64),
        ("global_stores", _c.c_uint64),
        ("wall_seconds", _c.c_double),
        ("timed", _c.c_bool),
        ("cycles", _c.c_uint64),
        ("runtime_warp_instructions", _c.c_uint64),
        ("remark", _c.c_char_p),
    ]


_u64, _u32, _text, _ptr = _c.c_uint64, _c.c_uint32, _c.c_char_p, _c.c_void_p
_functions = {
    "heddle_open": (_ptr, [_ptr]),
    "heddle_close": (None, [_ptr]),
    "heddle_message": (_text, [_ptr]),
    "heddle_version": (_text, []),
    "heddle_module_load_file": (_c.c_int, [_ptr, _text, _c.POINTER(_ptr)]),
    "heddle_module_load": (_c.c_int, [_ptr, _text, _text, _c.c_size_t, _c.POINTER(_ptr)]),
    "heddle_module_kernel": (_ptr, [_ptr, _text]),
    "heddle_alloc": (_u64, [_ptr, _u64]),
    "heddle_free": (_c.c_int, [_ptr, _u64]),
    "heddle_write": (_c.c_int, [_ptr, _u64, _text, _u64]),
    "heddle_read": (_c.c_int, [_ptr, _u64, _ptr, _u64]),
    "heddle_launch": (_c.c_int, [_ptr, _ptr, _c.POINTER(_Launch), _c.POINTER(_Result)]),
    "heddle_set_machine": (_c.c_int, [_ptr, _text]),
    "heddle_set_key": (_c.c_int, [_ptr, _text, _text]),
    "heddle_stat": (_c.c_int, [_ptr, _text, _c.POINTER(_c.c_double)]),
    "heddle_classes": (_u32, []),
    "heddle_class_name": (_text, [_u32]),
}
_loaded = None


def _lib():
    global _loaded
    if _loaded is None:
        _loaded = _c.CDLL(library)
        for name, (result, arguments) in _functions.items():
            f = getattr(_loaded, name)
            f.restype, f.argtypes = result, arguments
    return _loaded


def version():
    """The library's version."""
    return _lib().heddle_version().decode()


def _scalar(kind):
    def make(value):
        return kind(value)

    return make


u8, s8, u16, s16 = (_scalar(k) for k in (_c.c_uint8, _c.c_int8, _c.c_uint16, _c.c_int16))
u32, s32, u64, s64 = (_scalar(k) for k in (_c.c_uint32, _c.c_int32, _c.c_uint64, _c.c_int64))
f32, f64 = _scalar(_c.c_float), _scalar(_c.c_double)


class Array:
    """Memory of a device: `address`, `bytes`; elements of an array.array type code."""

    def __init__(self, device, values, code):
        data = _array.array(code, values)
        self.device, self.code, self.bytes = device, code, len(data) * data.itemsize
        self.address = _lib().heddle_alloc(device.handle, max(1, self.bytes))
        if not self.address:
            raise Error(device.message() or "no more device memory", 2)
        self.write(data)

    def write(self, values):
        """Other values, at most as many as it has."""
        data = _array.array(self.code, values).tobytes()
        if len(data) > self.bytes:
            raise ValueError("%d bytes into an array of %d" % (len(data), self.bytes))
        self.device.check(_lib().heddle_write(self.device.handle, self.address, data, len(data)))

    def read(self):
        """Its contents, an array.array."""
        buffer = _c.create_string_buffer(max(1, self.bytes))
        self.device.check(_lib().heddle_read(self.device.handle, self.address, buffer, self.bytes))
        data = _array.array(self.code)
        data.frombytes(buffer.raw[: self.bytes])
        return data

    def free(self):
        if self.address:
            self.device.check(_lib().heddle_free(self.device.handle, self.address))
        self.address = 0


class Kernel:
    """Called with arguments (Arrays and u32(...), f32(...)), grid and block (a number or up to three)."""

    def __init__(self, device, handle, name):
        self.device, self._handle, self.name = device, handle, name

    @property
    def handle(self):
        return self.device.handle and self._handle

    def __call__(self, *args, grid, block, shared=0, registers=0, functional=False):
        values = [u64(a.address) if isinstance(a, Array) else a for a in args]
        for i, v in enumerate(values):
            if not isinstance(v, _c._SimpleCData):
                raise TypeError("argument %d of %s: an Array, or a number with its type, such as heddle.u32(3)" % (i, self.name))
        each = (_Arg * max(1, len(values)))(*[_Arg(_c.cast(_c.pointer(v), _ptr), _c.sizeof(v)) for v in values])
        launch = _Launch(_shape(grid), _shape(block), shared, each, len(values), registers, functional)
        result = _Result()
        self.device.check(_lib().heddle_launch(self.device.handle, self.handle, _c.byref(launch), _c.byref(result)))
        return _result_dict(result)


def _shape(x):
    sizes = list(x) if hasattr(x, "__iter__") else [x]
    return (_u32 * 3)(*(sizes + [1, 1])[:3])


def _result_dict(r):
    d = {name: getattr(r, name) for name, _ in _Result._fields_ if name != "class_warp_instructions"}
    names = [_lib().heddle_class_name(i).decode() for i in range(_lib().heddle_classes())]
    d["instruction_mix"] = {n: r.class_warp_instructions[i] for i, n in enumerate(names) if r.class_warp_instructions[i]}
    return d


class Module:
    def __init__(self, device, handle):
        self.device, self._handle = device, handle

    @property
    def handle(self):
        return self.device.handle and self._handle  # it lives as long as its device

    def kernel(self, name):
        handle = _lib().heddle_module_kernel(self.handle, name.encode())
        if not handle:
            raise Error("the module has no kernel %s" % name, 2)
        return Kernel(self.device, handle, name)


class Device:
    """A simulated GPU; without a machine it computes results only. Used by one thread at a time."""

    def __init__(self, machine=None, set=None):
        self._handle = _lib().heddle_open(None)
        try:
            if machine:
                self.check(_lib().heddle_set_machine(self.handle, str(machine).encode()))
            for key, value in (set or {}).items():
                text = str(value).lower() if isinstance(value, bool) else str(value)
                self.check(_lib().heddle_set_key(self.handle, key.encode(), text.encode()))
        except Error:
            self.close()
            raise

    @property
    def handle(self):
        """The library's context; all that is of a device asks for it, and none is left after close()."""
        if not self._handle:
            raise Error("the device is closed: its memory, modules and kernels went with it; open another Device", 2)
        return self._handle

    def message(self):
        return _lib().heddle_message(self.handle).decode(errors="replace")

    def check(self, status):
        if status:
            raise Error(self.message(), status)

    def load(self, path):
        """A module from a file."""
        m = _ptr()
        self.check(_lib().heddle_module_load_file(self.handle, _os.fsencode(path), _c.byref(m)))
        return Module(self, m)

    def load_text(self, text, name="text.ptx"):
        """A module from a string or bytes."""
        data, m = text.encode() if isinstance(text, str) else text, _ptr()
        self.check(_lib().heddle_module_load(self.handle, name.encode(), data, len(data), _c.byref(m)))
        return Module(self, m)

    def array(self, values, code="f"):
        """Device memory with these values; `code` is array.array's: f float, I u32, i s32, d double, ..."""
        return Array(self, values, code)

    def stat(self, name):
        """A counter or formula of the last launch (`heddle list stats`); nan where it has no value."""
        x = _c.c_double()
        self.check(_lib().heddle_stat(self.handle, name.encode(), _c.byref(x)))
        return x.value

    def close(self):
        if self._handle:
            _lib().heddle_close(self._handle)
        self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
