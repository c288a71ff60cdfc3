/**
 * Kubernetes' binary bodies, as kubectl's typed commands send them (`create namespace`, `create token`,
 * `auth can-i`, …), read into the JSON they stand for.
 *
 * Only reading: answers are JSON, which every client takes. The table of messages comes from `tools/gen-kube-protobuf.ts`.
 * Begin with `decode.ts`.
 */
export { isProtobuf, protobufToJson } from './decode.ts';
export { leavesOutZero } from './zeros.ts';
