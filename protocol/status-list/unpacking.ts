import pLimit from 'p-limit'

/**
 * The largest list has 16 MiB, so only two are unpacked at a time in a process. A slot is for the unpacking alone: with the
 * fetching of a key in it, one slow server would hold up the lists of all tenants.
 */
export const unpacking = pLimit(2)
