// The largest files that are read as a whole. A file without an end must not fill the memory.

const megabyte = 1_048_576;

export const largest = {
  /** Code, a readme, a body or a seed: from a file, a pipe or standard input. */
  text: 64 * megabyte,
  /** A text as JSON, with facts about it. */
  base: 128 * megabyte,
  manifest: 16 * megabyte,
  ignoreFile: megabyte,
  config: megabyte,
  /** A certificate with its chain, or a key. */
  certificate: megabyte,
  /** Ten thousand seen vals with the longest names. */
  seen: 16 * megabyte,
};
