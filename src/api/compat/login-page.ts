/** The login page for browsers: a form without a script, which is sent to the page's own address. */
import { escapeHtml, makePage, type Page } from '../pages/frame.ts';
import { LOGIN_STYLE } from '../pages/login.ts';

interface Shown {
  /** Why the last attempt failed. */
  readonly message?: string;
  /** The link to the OpenID provider's login; absent if none is configured. */
  readonly openIdHref?: string | undefined;
}

export function clientLoginPage({ message = '', openIdHref }: Shown): Page {
  const link =
    openIdHref === undefined
      ? ''
      : `
  <p><a href="${escapeHtml(openIdHref)}">Log in by the OpenID provider</a></p>`;
  const { html, headers } = makePage({
    title: 'Millrace: log in',
    style: LOGIN_STYLE,
    body: `
<header><h1>Millrace</h1></header>
<main>
  <form method="post">
    <label>Account<input name="username" autocomplete="username" autocapitalize="none" required maxlength="150"
      autofocus></label>
    <label>Password<input name="password" type="password" autocomplete="current-password" required
      maxlength="1000"></label>
    <button>Log in</button>
    <p role="status" class="bad">${escapeHtml(message)}</p>
  </form>${link}
</main>`,
  });
  const policy =
    headers['content-security-policy']?.replace("form-action 'none'", "form-action 'self'") ?? '';
  return { html, headers: { ...headers, 'content-security-policy': policy } };
}
