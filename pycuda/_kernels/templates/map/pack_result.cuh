        // Computes $width results, which are stored as one word.
$packs
        Pack<$out_type> out_pack;
#pragma unroll
        for (int k = 0; k < $width; k++) {
$pack_loads
            out_pack.at[k] = $result;
        }
