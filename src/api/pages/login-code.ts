/**
 * The page at `/login/code/`: a person who is logged in types the code that a program shows, sees what the program asks
 * for, and approves or denies it. No address contains the code, so that nobody can be sent a link to an approval.
 */
import { makePage } from './frame.ts';

export const LOGIN_CODE_PAGE = '/login/code/';

const STYLE = `
main { max-width: 28rem; }
form, #request { display: grid; gap: .75rem; padding: 1.25rem; margin-bottom: 1rem; background: var(--card);
  border: 1px solid var(--line); border-radius: .5rem; }
[hidden] { display: none !important; }
label { display: grid; gap: .25rem; }
input, button { font: inherit; padding: .4rem .6rem; color: inherit; background: var(--ground);
  border: 1px solid var(--line); border-radius: .35rem; }
#code { font: 1.4rem ui-monospace, monospace; letter-spacing: .15em; text-transform: uppercase; }
button { cursor: pointer; } .bad { color: var(--bad); }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
`;

const BODY = `
<header><h1>Millrace</h1><a href="/">Status</a></header>
<main>
  <p>A program that you have started shows a code of eight letters. Type it here only if you have started that program
  yourself.</p>
  <form id="form" method="post">
    <label>Code<input id="code" autocomplete="off" autocapitalize="characters" spellcheck="false" required
      maxlength="40" autofocus></label>
    <button id="look">Continue</button>
  </form>
  <section id="request" hidden>
    <p>The program asks for an access token of your account.</p>
    <dl><dt>Account</dt><dd id="account"></dd><dt>Asked from</dt><dd id="address"></dd>
      <dt>Scope</dt><dd id="scope"></dd><dt>Valid for</dt><dd id="days"></dd></dl>
    <button id="approve" type="button">Approve</button>
    <button id="deny" type="button">Deny</button>
  </section>
  <p id="said" role="status" class="soft"></p>
  <p id="enter" hidden><a href="/login/?next=/login/code/">Log in first</a></p>
</main>`;

const SCRIPT = `
'use strict';
const at = (id) => document.getElementById(id);
const MEANINGS = { read: 'read: it may read', write: 'write: it may also change things, where your account may',
  admin: 'admin: all that your account may, also tokens and accounts' };
function say(text, isBad) { at('said').className = isBad ? 'bad' : 'soft'; at('said').textContent = text; }
function csrf() { return /(?:^|; )csrftoken=([^;]*)/.exec(document.cookie)?.[1] ?? ''; }
async function post(path, body) {
  const headers = { 'content-type': 'application/json', accept: 'application/json', 'x-csrftoken': csrf() };
  return fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
}
async function failed(response) {
  const found = await response.json().catch(() => ({}));
  const wait = response.headers.get('retry-after');
  say((found.detail ?? 'status ' + response.status) + (wait ? ' (in ' + wait + ' s)' : ''), true);
  if (response.status === 401) at('enter').hidden = false;
}
function guard(call) { return (event) => { event.preventDefault();
  call().catch((error) => say('not available: ' + error.message, true)); }; }
at('form').addEventListener('submit', guard(async () => {
  say('…', false);
  const response = await post('/v6/login/codes/lookup/', { user_code: at('code').value });
  if (!response.ok) return failed(response);
  const found = await response.json();
  at('address').textContent = found.address;
  at('scope').textContent = MEANINGS[found.scope] ?? found.scope;
  at('days').textContent = found.days + (found.days === 1 ? ' day' : ' days');
  at('form').hidden = true;
  at('request').hidden = false;
  say('', false);
}));
async function decide(isApproved) {
  const response = await post('/v6/login/codes/decision/', { user_code: at('code').value, is_approved: isApproved });
  if (!response.ok) return failed(response);
  at('request').hidden = true;
  say(isApproved ? 'Approved. The program is logged in within a few seconds.' : 'Denied.', false);
}
at('approve').addEventListener('click', guard(() => decide(true)));
at('deny').addEventListener('click', guard(() => decide(false)));
async function known() {
  const response = await fetch('/v6/accounts/profile/', { headers: { accept: 'application/json' } });
  if (!response.ok) { at('enter').hidden = false; return; }
  at('account').textContent = (await response.json()).username;
}
known().catch(() => {});
`;

export const loginCodePage = makePage({
  title: 'Millrace: log in by a code',
  body: BODY,
  style: STYLE,
  script: SCRIPT,
});
