/** Accounts. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const AccountEntity = defineEntity({
  name: 'Account',
  tableName: 'account',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    username: p.string().length(150),
    firstName: p.string().length(150).default(''),
    lastName: p.string().length(150).default(''),
    email: p.string().length(254).default(''),
    isStaff: p.boolean().default(false),
    isActive: p.boolean().default(true),
    passwordHash: p.text().nullable(),
    created: p.datetime().columnType('timestamptz'),
    lastLogin: p.datetime().columnType('timestamptz').nullable(),
    lastModified: p.datetime().columnType('timestamptz'),
  },
});
