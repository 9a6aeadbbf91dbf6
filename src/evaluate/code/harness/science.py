# Runs a step of a problem of science with its tests, which compare with targets in a file of HDF5. `judge` ends in what
# the step or a test ends in, if that is not well.
import sys, types

import h5py
import numpy
import scipy.sparse
import sympy


def decoded(data):
    value = data[()]
    return value.decode("utf-8") if isinstance(value, bytes) else value


def matrix(group):
    data, shape = group["data"][()], tuple(group["shape"][()])
    if "row" in group and "col" in group:
        return scipy.sparse.coo_matrix((data, (group["row"][()], group["col"][()])), shape=shape)
    parts = (data, group["indices"][()], group["indptr"][()])
    if "blocksize" in group:
        return scipy.sparse.bsr_matrix(parts, shape=shape, blocksize=tuple(group["blocksize"][()]))
    return scipy.sparse.csr_matrix(parts, shape=shape)


def dictionary(group):
    made = {}
    for key, item in group.items():
        if isinstance(item, h5py.Group):
            made[key] = matrix(item["sparse_matrix"])
            continue
        value = decoded(item)
        if not isinstance(value, str):
            try:
                key = float(key)
            except ValueError:
                pass
        made[key] = value
    return made


def target(item):
    """What a part of a target stands for; the first name in a group tells its kind."""
    if isinstance(item, h5py.Dataset):
        return decoded(item)
    first = next(iter(item.keys()))
    if first == "list":
        return [item["list"][key][()] for key in item["list"].keys()]
    return matrix(item["sparse_matrix"]) if first == "sparse_matrix" else dictionary(item)


def targets(path, step, count):
    with h5py.File(path, "r") as file:
        found = []
        for number in range(1, count + 1):
            group = file[f"{step}/test{number}"]
            parts = [target(group[key]) for key in group.keys()]
            found.append(parts[0] if len(parts) == 1 else tuple(parts))
        return found


def are_close(left, right, **limits):
    try:
        return bool(numpy.allclose(left, right, **limits))
    except ValueError:
        return bool(left == right)


def without_symbols(items):
    return {str(key) if isinstance(key, sympy.Symbol) else key: str(value) if isinstance(value, sympy.Symbol) else value
            for key, value in items.items()}


def are_dicts_close(left, right, atol=1e-8, rtol=1e-5):
    left, right = without_symbols(left), without_symbols(right)
    if left.keys() != right.keys():
        return False
    for key, value in left.items():
        if isinstance(value, str):
            is_same = value == right[key]
        elif scipy.sparse.issparse(value):
            is_same = numpy.allclose(value.toarray(), right[key].toarray(), atol=atol, rtol=rtol)
        else:
            is_same = are_close(value, right[key], atol=atol, rtol=rtol)
        if not is_same:
            return False
    return True


def are_csc_matrix_close(left, right):
    return numpy.allclose(left.toarray(), right.toarray())


def cmp_tuple_or_list(left, right):
    if len(left) != len(right):
        return False
    for one, other in zip(left, right):
        if isinstance(one, dict):
            is_same = are_dicts_close(one, other)
        elif isinstance(one, (scipy.sparse.csr_matrix, scipy.sparse.csc_matrix)):
            is_same = are_csc_matrix_close(one, other)
        else:
            is_same = one == other if isinstance(one, bool) else are_close(one, other)
        if not is_same:
            return False
    return True


def judge(job, _same):
    found = targets(job["targets"], job["step"], len(job["tests"]))
    # The names under which tests import what compares.
    for name in ("opencompass", "opencompass.datasets", "opencompass.datasets.scicode", "scicode", "scicode.compare",
                 "scicode.compare.cmp"):
        module = sys.modules[name] = types.ModuleType(name)
        vars(module).update(are_dicts_close=are_dicts_close, are_csc_matrix_close=are_csc_matrix_close,
                            cmp_tuple_or_list=cmp_tuple_or_list)
    names = {"__name__": "__main__"}
    exec(job["code"], names)
    for wanted, test in zip(found, job["tests"]):
        names["target"] = wanted
        exec(test, names)
