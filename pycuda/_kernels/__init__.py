"""The CUDA C that the package itself generates.

``factory`` answers the C extension with the kernels of ``maps`` and
``reductions``; ``operations`` and ``functions`` say what an operation means,
``combining`` how values combine.  ``axes`` and ``scan`` write kernels over
axes; ``moves``, ``products``, ``sorting`` and ``sparse`` what their names say;
``calls`` and ``canned`` serve `pycuda.elementwise`, ``reduction_axes`` serves
`pycuda.reduction`.  All of them use ``building``, which reads ``templates``,
a folder a subject, and compiles.
"""

# SPDX-License-Identifier: MIT
