export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);

/** Matches an entry of NO_PROXY, such as `example.com`, `.example.com` or `*.example.com:8080`. */
const noProxyEntry = /^(?:\*?\.)?(?<name>.+?)(?::(?<onlyPort>\d+))?$/;

/**
 * Each name in NO_PROXY matches a host and its subdomains. `.example.com` and `*.example.com` mean the same as
 * `example.com`. `*` alone matches every host.
 */
export function bypassesProxy(noProxy: string, origin: string): boolean {
  if (noProxy.trim() === '*') return true;
  const { hostname, port, protocol } = new URL(origin);
  const usedPort = port || (protocol === 'https:' ? '443' : '80');
  return noProxy
    .toLowerCase()
    .split(/[,\s]+/)
    .some((entry) => {
      const { name, onlyPort } = noProxyEntry.exec(entry)?.groups ?? {};
      const isForOtherPort = onlyPort !== undefined && onlyPort !== usedPort;
      if (name === undefined || isForOtherPort) return false;
      return hostname === name || hostname.endsWith(`.${name}`);
    });
}
