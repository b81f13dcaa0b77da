        for (long long j = first; j < end; j++) {
$loads
            *$out_element = $result;
        }
