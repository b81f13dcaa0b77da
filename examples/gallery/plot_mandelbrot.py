"""
Mandelbrot
==========
"""

import matplotlib.pyplot as plt
import numpy as np

plt.imshow(np.ones((3, 3)))
