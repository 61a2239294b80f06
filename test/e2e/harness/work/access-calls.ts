/** Calls of a service that wants to know who calls. */

/** The line that a first start prints. */
export const PASSWORD = /^admin password (\S{24}) /m;

export type Headers = Record<string, string>;

/** Calls of a service that listens on every address. */
export function callerOf(port: number) {
  return async (method: string, path: string, body?: unknown, headers: Headers = {}) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { ...json, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const cookie = response.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    // biome-ignore lint/suspicious/noExplicitAny: answers of any shape
    const found: any = text.startsWith('{') ? JSON.parse(text) : undefined;
    return { status: response.status, json: found, text, cookie };
  };
}

export async function logIn(call: ReturnType<typeof callerOf>, password: string): Promise<Headers> {
  const { cookie } = await call('POST', '/v6/login/', { username: 'admin', password });
  return { cookie, 'x-csrftoken': /csrftoken=([\w-]+)/.exec(cookie)?.[1] ?? '' };
}
