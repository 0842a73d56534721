// The ids of vals are UUIDs.

export const looksLikeId = (word: string): boolean =>
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(word);
