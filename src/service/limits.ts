// The limits of the service. Those of a val's name and of a run are in src/core/lib/vals.ts, because commands keep
// them too. The time limits are beside the server (http/server.ts) and the databases.

/** In bytes: the body of a request, the form to sign in, and a page of a list. */
export const largestBody = 2 * 1_048_576;
export const largestForm = 4_096;
export const mostPageBytes = 1_048_576;

/** Of a list: records on a page, and how far an offset may lead. */
export const mostOnPage = 100;
export const largestOffset = 10_000;

export const mostConnections = 5_000;

/** In characters. */
export const longestCode = 256_000;
export const longestReadme = 8_192;
export const longestSearch = 200;

/** Of a token, in one process. */
export const requestsUnderWay = 64;
