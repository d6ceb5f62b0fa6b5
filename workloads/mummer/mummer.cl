/* Matching of short reads against a genome, after an index of it has been built: for every start in every
 * read the longest stretch that occurs in the genome, and where first. Launches: mummer_cut (makes the reads:
 * pieces of the genome with a few wrong letters), mummer_count, mummer_offsets and mummer_fill (the index:
 * all places, sorted by their first K letters), and mummer_match. Letters are 0 to 3. Matching chases
 * pointers: start, bucket, place, genome, each load depending on the one before, no two lanes alike, and
 * loops that end lane by lane. */
#define READ 32 /* letters of a read */

static uint word_at(__global const uchar *text, uint k) {
    uint word = 0;
    for (uint i = 0; i < k; i++) word = word << 2 | text[i];
    return word;
}

__kernel void mummer_cut(__global const uchar *genome, __global const uint *start, __global const uchar *noise,
                         __global uchar *reads, uint n, uint letters) {
    uint i = get_global_id(0);
    if (i >= n * READ) return;
    uchar letter = genome[(start[i / READ] + i % READ) % letters];
    reads[i] = noise[i] < 3 ? (letter + 1) & 3 : letter;
}

__kernel void mummer_count(__global const uchar *genome, __global uint *bucket, uint letters, uint k) {
    uint i = get_global_id(0);
    if (i + k <= letters) atomic_inc(&bucket[word_at(genome + i, k)]);
}

/* One work-group: bucket[w] becomes the number of places before bucket w, so does next[w]; buckets a multiple
 * of 256 */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void mummer_offsets(__global uint *bucket, __global uint *next,
                                                                              uint buckets) {
    __local uint sums[256];
    uint me = get_local_id(0), share = buckets / 256, sum = 0;
    for (uint i = me * share; i < (me + 1) * share; i++) sum += bucket[i];
    sums[me] = sum;
    for (uint step = 1; step < 256; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint left = me >= step ? sums[me - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[me] += left;
    }
    uint before = sums[me] - sum;
    for (uint i = me * share; i < (me + 1) * share; i++) {
        uint count = bucket[i];
        bucket[i] = next[i] = before;
        before += count;
    }
}

/* Afterwards next[w] is the end of bucket w. The order inside a bucket is left to chance; no result depends
 * on it. */
__kernel void mummer_fill(__global const uchar *genome, __global uint *next, __global uint *place, uint letters, uint k) {
    uint i = get_global_id(0);
    if (i + k <= letters) place[atomic_inc(&next[word_at(genome + i, k)])] = i;
}

__kernel void mummer_match(__global const uchar *genome, __global const uchar *reads, __global const uint *bucket,
                           __global const uint *next, __global const uint *place, __global uint *length, __global uint *where,
                           uint n, uint letters, uint k) {
    uint read = get_global_id(0);
    if (read >= n) return;
    __global const uchar *text = reads + read * READ;
    for (uint s = 0; s + k <= READ; s++) {
        uint word = word_at(text + s, k), best = 0, first = 0xFFFFFFFF;
        for (uint i = bucket[word]; i < next[word]; i++) {
            uint at = place[i], same = k;
            while (s + same < READ && at + same < letters && text[s + same] == genome[at + same]) same++;
            if (same > best || (same == best && at < first)) {
                best = same;
                first = at;
            }
        }
        length[s * n + read] = best;
        where[s * n + read] = first;
    }
}
