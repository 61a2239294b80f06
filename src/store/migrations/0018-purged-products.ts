// Which purge has removed a product, so that whoever has its id finds the purge.

export const name = '0018-purged-products';

/** A table that coordinators of the previous schema do not write: products that they remove are not in it. */
export const isBreaking = false;

export const up: readonly string[] = [
  /* sql */ `create table purged_product (
    file_id bigint primary key,
    purge_id bigint not null
  )`,
];
