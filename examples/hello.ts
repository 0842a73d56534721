// Greets whoever asks: /?name=Ada answers "Hello, Ada!".
export default function hello(request: Request): Response {
  const name = new URL(request.url).searchParams.get('name') ?? 'world';
  return new Response(`Hello, ${name}!\n`);
}
