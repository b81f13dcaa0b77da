"""The CUDA C that the package itself generates.

``factory`` answers the C extension, ``operations`` says what an operation
means, ``axes`` and ``scan`` write kernels over axes, ``calls`` and ``canned``
serve `pycuda.elementwise`, ``reduction_axes`` serves `pycuda.reduction`;
``functions``, ``products``, ``sorting`` and ``sparse`` write what their names
say.  The sources lie in ``templates``.
"""

# SPDX-License-Identifier: MIT
