/* type.h - the class template complex, in the namespace that includes it.
 *
 * Included once in each namespace. PYCUDA_COMPLEX_START is the default
 * constructor; PYCUDA_COMPLEX_MIXED declares further converting constructors.
 *
 * SPDX-License-Identifier: MIT */

template <class T> struct complex {
    typedef T value_type;

    PYCUDA_COMPLEX_START
    __host__ __device__ constexpr complex(T re, T im = T()) : re_(re), im_(im)
    {
    }
    complex(const complex &) = default;
    template <class U>
    __host__ __device__ constexpr complex(const complex<U> &z)
        : re_((T)z.real()), im_((T)z.imag())
    {
    }
    PYCUDA_COMPLEX_MIXED
    __host__ __device__ constexpr T real() const
    {
        return re_;
    }
    __host__ __device__ constexpr T imag() const
    {
        return im_;
    }
    __host__ __device__ T real() const volatile
    {
        return re_;
    }
    __host__ __device__ T imag() const volatile
    {
        return im_;
    }
    __host__ __device__ void real(T value)
    {
        re_ = value;
    }
    __host__ __device__ void imag(T value)
    {
        im_ = value;
    }

    complex &operator=(const complex &) = default;
    __host__ __device__ complex &operator=(T re)
    {
        re_ = re, im_ = T();
        return *this;
    }
    template <class U>
    __host__ __device__ complex &operator=(const complex<U> &z)
    {
        re_ = (T)z.real(), im_ = (T)z.imag();
        return *this;
    }

    __device__ complex &operator+=(T re)
    {
        re_ += re;
        return *this;
    }
    __device__ complex &operator-=(T re)
    {
        re_ -= re;
        return *this;
    }
    __device__ complex &operator*=(T re)
    {
        re_ *= re, im_ *= re;
        return *this;
    }
    __device__ complex &operator/=(T re)
    {
        re_ /= re, im_ /= re;
        return *this;
    }
    template <class U> __device__ complex &operator+=(const complex<U> &z)
    {
        re_ += z.real(), im_ += z.imag();
        return *this;
    }
    template <class U> __device__ complex &operator-=(const complex<U> &z)
    {
        re_ -= z.real(), im_ -= z.imag();
        return *this;
    }
    template <class U> __device__ complex &operator*=(const complex<U> &z)
    {
        return *this = __pycuda_complex::product(re_, im_, (T)z.real(),
                                                 (T)z.imag());
    }
    template <class U> __device__ complex &operator/=(const complex<U> &z)
    {
        return *this = __pycuda_complex::quotient(re_, im_, (T)z.real(),
                                                  (T)z.imag());
    }
    __device__ complex &operator=(const __pycuda_complex::pair<T> &z)
    {
        re_ = z.re, im_ = z.im;
        return *this;
    }

  private:
    T re_, im_;
};
