// The largest files that are read as a whole, by what they are: a file without an end must not fill the memory.

const megabyte = 1_048_576;

export const largest = {
  /** Code, a readme, a body or a seed: from a file, a pipe or standard input. */
  text: 64 * megabyte,
  /** As JSON, with what is known of it, a text takes more room. */
  base: 128 * megabyte,
  manifest: 16 * megabyte,
  ignoreFile: megabyte,
  config: megabyte,
  /** A certificate with those that vouch for it, or a key. */
  certificate: megabyte,
  /** Ten thousand vals that were seen, each with the longest of names. */
  seen: 16 * megabyte,
};
