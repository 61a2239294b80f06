/** Settings of logins by an OpenID provider. */
import { type ClaimRule, parseClaimRule } from '../domain/identity.ts';
import type { IssueList } from '../domain/validation.ts';
import type { Secret } from '../lib/secret.ts';
import type { SettingName } from './settings.ts';

export interface OpenIdConfig {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent: a public client, which uses only PKCE. */
  readonly clientSecret?: Secret;
  /** Separated by spaces. */
  readonly scopes: string;
  readonly allow?: ClaimRule;
  readonly staff?: ClaimRule;
}

interface Reader {
  readonly issues: IssueList;
  text(name: SettingName): string | undefined;
  secret(name: SettingName, charsMin: number): Secret | undefined;
}

/** Undefined if no issuer is set. */
export function readOpenId(read: Reader): OpenIdConfig | undefined {
  const issuer = read.text('MILLRACE_OIDC_ISSUER');
  const clientId = read.text('MILLRACE_OIDC_CLIENT_ID');
  const clientSecret = read.secret('MILLRACE_OIDC_CLIENT_SECRET', 1);
  const scopes = read.text('MILLRACE_OIDC_SCOPES') ?? 'openid profile email';
  const allow = rule(read, 'MILLRACE_OIDC_ALLOW');
  const staff = rule(read, 'MILLRACE_OIDC_STAFF');
  if (issuer === undefined && clientId === undefined) return undefined;
  if (issuer === undefined || clientId === undefined) {
    const missing = issuer === undefined ? 'MILLRACE_OIDC_ISSUER' : 'MILLRACE_OIDC_CLIENT_ID';
    read.issues.error('VALUE_MISSING', missing, 'issuer and client id go together');
    return undefined;
  }
  if (!isIssuer(issuer)) {
    const reason = 'must be an https:// URL (http:// on loopback only)';
    read.issues.error('INVALID_SETTING', 'MILLRACE_OIDC_ISSUER', reason);
    return undefined;
  }
  if (!/^openid( [\x21-\x7e]+)*$/.test(scopes)) {
    const reason = 'must begin with openid, scopes separated by spaces';
    read.issues.error('INVALID_SETTING', 'MILLRACE_OIDC_SCOPES', reason);
    return undefined;
  }
  return {
    ...{ issuer, clientId, scopes },
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(allow === undefined ? {} : { allow }),
    ...(staff === undefined ? {} : { staff }),
  };
}

function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash, username, password } = new URL(text);
  if (search !== '' || hash !== '' || username !== '' || password !== '') return false;
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback);
}

function rule(read: Reader, name: SettingName): ClaimRule | undefined {
  const text = read.text(name);
  if (text === undefined) return undefined;
  const parsed = parseClaimRule(text);
  if (parsed === undefined)
    read.issues.error('INVALID_SETTING', name, 'must be claim=value, like groups=staff');
  return parsed;
}
