/** Session cookies: reading them from a request, setting them and clearing them. */

/** Read by the service only. */
export const SESSION_COOKIE = 'millrace_session';
/** Read by scripts of our own pages, which send its value back as the header `x-csrftoken`. */
export const CSRF_COOKIE = 'csrftoken';
export const CSRF_HEADER = 'x-csrftoken';

/** The value of a cookie; undefined when it was not sent. */
export function readCookie(headers: ReadonlyMap<string, string>, name: string): string | undefined {
  const cookies = headers.get('cookie');
  if (cookies === undefined) return undefined;
  for (const part of cookies.split(';')) {
    const at = part.indexOf('=');
    if (at !== -1 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

interface CookieOptions {
  readonly isSecure: boolean;
  /** 0 clears the cookie. */
  readonly maxAgeS: number;
}

/** `set-cookie` values that begin a session. Tokens are base64url. */
export function sessionCookies(
  tokens: { readonly session: string; readonly csrf: string },
  options: CookieOptions,
): readonly string[] {
  const attributes = `Path=/; Max-Age=${options.maxAgeS}; SameSite=Lax${options.isSecure ? '; Secure' : ''}`;
  return [
    `${SESSION_COOKIE}=${tokens.session}; ${attributes}; HttpOnly`,
    `${CSRF_COOKIE}=${tokens.csrf}; ${attributes}`,
  ];
}

/** `set-cookie` values that end the session in the browser. */
export function clearedCookies(isSecure: boolean): readonly string[] {
  return sessionCookies({ session: '', csrf: '' }, { isSecure, maxAgeS: 0 });
}
