/** How clients of the public system spelled a record. Columns only: checks are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const ClientSpellingEntity = defineEntity({
  name: 'ClientSpelling',
  tableName: 'client_spelling',
  properties: {
    kind: p.string().length(20).primary(),
    recordId: p.bigint('number').primary(),
  },
});
