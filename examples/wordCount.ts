// Counts the words of a text that is posted to it, the most frequent first.
export default async function wordCount(request: Request): Promise<Response> {
  const words = (await request.text()).toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Response.json([...counts].sort(([, a], [, b]) => b - a));
}
