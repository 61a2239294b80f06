/** Cookies of sessions: what is read of a request, and how they are set and taken back. */

/** Read by the service alone. */
export const SESSION_COOKIE = 'millrace_session';
/** Read by scripts of our own pages, which send its value back as the header `x-csrftoken`. */
export const CSRF_COOKIE = 'csrftoken';
export const CSRF_HEADER = 'x-csrftoken';

/** The value of a cookie, undefined when it was not sent. */
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
  /** 0 takes the cookie back. */
  readonly maxAgeS: number;
}

/** `set-cookie` values of a session that has begun. Tokens are base64url. */
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

/** `set-cookie` values that end it in the browser. */
export function clearedCookies(isSecure: boolean): readonly string[] {
  return sessionCookies({ session: '', csrf: '' }, { isSecure, maxAgeS: 0 });
}
