"""Generators of the CUDA C that the package itself runs.

``factory`` compiles kernels of ``maps`` and ``reductions`` for the C
extension; ``operations`` and ``functions`` define the operations, and
``combining`` how values combine.  ``axes`` and ``scan`` write kernels over
axes; ``moves``, ``products``, ``sorting`` and ``sparse`` those of their name.
``calls`` and ``canned`` serve `pycuda.elementwise`, ``reduction_axes`` serves
`pycuda.reduction`.  All of them use ``building``, which loads ``templates``,
one folder per subject, and compiles.
"""

# SPDX-License-Identifier: MIT
