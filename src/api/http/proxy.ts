export interface ProxyAddress {
  url: URL;
  /** The environment variable that has the address. */
  variable: string;
}

/** The proxy made no tunnel to the service. */
export class ProxyError extends Error {
  constructor(readonly problem: { status: number } | { cause: Error }) {
    super('the proxy made no tunnel');
  }
}

export function credentialsOf({ username, password }: URL): string | undefined {
  if (!username && !password) return undefined;
  return Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
}
