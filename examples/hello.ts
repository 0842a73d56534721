// Greets by name: `vals run hello.ts Ada`, and for requests /?name=Ada.
export default function hello(asked: Request | string = 'world'): Response {
  const name = typeof asked === 'string' ? asked : (new URL(asked.url).searchParams.get('name') ?? 'world');
  return new Response(`Hello, ${name}!\n`);
}
