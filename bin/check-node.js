// Node 12 must understand this file and vals.js, so that a Node that is too old is told in a sentence.

/**
 * The first version of each supported line: `engines` in package.json says the same. From the last one on, all are supported.
 * @type {[number, number, number][]}
 */
const supported = [
  [20, 18, 1],
  [22, 12, 0],
  [24, 0, 0],
];

/**
 * The earliest version after this one on which vals runs. Undefined if vals runs on this one.
 * @param {string} version
 */
exports.neededNode = (version) => {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  const line = supported.find((each) => each[0] >= major);
  if (line === undefined) return undefined;
  const isEnough = line[0] === major && (minor > line[1] || (minor === line[1] && patch >= line[2]));
  return isEnough ? undefined : line.join('.');
};
