// A scan runs along one axis; the other axes give the rows. Strides are in
// bytes.
typedef $type Value;
typedef $stored Stored;

struct Rows {
    long long rows, length, in_stride, out_stride;
    long long shape[$ndim], in[$ndim], out[$ndim];
};

__device__ inline Value combine(Value x, Value y)
{
    return $combine;
}
