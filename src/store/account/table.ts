import { defineEntity, p } from '@mikro-orm/core';
import type { Scope } from '../../domain/access.ts';
import { bigint, identity, instant } from '../sql/columns.ts';

/** Accounts. */
export const AccountEntity = defineEntity({
  name: 'Account',
  tableName: 'account',
  properties: {
    id: identity(),
    username: p.string().length(150),
    firstName: p.string().length(150).default(''),
    lastName: p.string().length(150).default(''),
    email: p.string().length(254).default(''),
    isStaff: p.boolean().default(false),
    isActive: p.boolean().default(true),
    passwordHash: p.text().nullable(),
    created: instant(),
    lastLogin: instant().nullable(),
    lastModified: instant(),
  },
});

/** Accounts at OpenID providers. */
export const AccountIdentityEntity = defineEntity({
  name: 'AccountIdentity',
  tableName: 'account_identity',
  properties: {
    id: identity(),
    accountId: bigint(),
    issuer: p.string().length(500),
    subject: p.string().length(255),
    created: instant(),
  },
});

/** Tokens of accounts, by their hashes. */
export const AccessTokenEntity = defineEntity({
  name: 'AccessToken',
  tableName: 'access_token',
  properties: {
    id: identity(),
    accountId: bigint(),
    name: p.string().length(100),
    tokenHash: p.blob(),
    scope: p.text().$type<Scope>(),
    created: instant(),
    expires: instant().nullable(),
    revoked: instant().nullable(),
    lastUsed: instant().nullable(),
  },
});

/** Sessions of browsers, by their hashes. */
export const LoginSessionEntity = defineEntity({
  name: 'LoginSession',
  tableName: 'login_session',
  properties: {
    id: identity(),
    accountId: bigint(),
    sessionHash: p.blob(),
    csrfHash: p.blob(),
    address: p.string().length(45),
    created: instant(),
    expires: instant(),
    lastSeen: instant(),
  },
});

/**
 * Logins by a code that wait for a decision, or for the program to take its token. No entity is read or written:
 * statements use the columns only.
 */
export const LoginCodeEntity = defineEntity({
  name: 'LoginCode',
  tableName: 'login_code',
  properties: {
    id: identity(),
    deviceHash: p.blob(),
    userCode: p.string().length(8),
    address: p.string().length(45),
    addressHolder: p.text(),
    scope: p.text().$type<Scope>(),
    days: p.integer(),
    pollInterval: p.integer(),
    created: instant(),
    expires: instant(),
    lastPolled: instant().nullable(),
    decided: instant().nullable(),
    isApproved: p.boolean().default(false),
    accountId: bigint().nullable(),
  },
});
