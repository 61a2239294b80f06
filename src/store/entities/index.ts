export const ENTITIES: any[] = [];
