// What services of this kind accept as a val. The embedded service holds to it; the command line warns, and the service decides.

export const namePattern = /^[a-zA-Z][a-zA-Z0-9_]{0,47}$/;
export const nameRule = '1 to 48 letters, digits and _, a letter first';
/** In characters, like the next. */
export const longestCode = 256_000;
export const longestReadme = 8_192;
