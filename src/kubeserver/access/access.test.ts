import assert from 'node:assert/strict';
import { test } from 'node:test';
import { embeddedInside } from '../../../test/support/embedded-inside.ts';
import { stringAt } from '../../core/json/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import { type Inside, StatusError, type User } from '../ports.ts';
import { type Access, createAccess } from './access.ts';
import { escalationAdmission } from './escalation.ts';
import { parseRequest } from './request-info.ts';
import { generateTokenKey } from './token-key.ts';

const tokenKey = generateTokenKey();
const rbac = 'rbac.authorization.k8s.io';

interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

async function cluster(): Promise<{ inside: Inside; access: Access }> {
  const inside = await embeddedInside();
  for (const name of ['a', 'n']) await inside.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const staticTokens = [{ token: 'secret', user: { name: 'admin', groups: ['system:masters'] } }];
  return { inside, access: createAccess({ inside, tokenKey, staticTokens }) };
}

function grant(inside: Inside, user: string, rules: readonly Rule[], namespace?: string): Promise<unknown> {
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  const metadata = { name: `r-${user.replaceAll(':', '-')}`, ...(namespace === undefined ? {} : { namespace }) };
  return Promise.all([
    inside.create({ apiVersion: `${rbac}/v1`, kind, metadata, rules }),
    inside.create({
      apiVersion: `${rbac}/v1`,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: rbac, kind, name: metadata.name },
      subjects: [{ apiGroup: rbac, kind: 'User', name: user }],
    }),
  ]);
}

const named = (name: string, groups: readonly string[] = ['system:authenticated']): User => ({
  name,
  uid: '',
  groups,
  extra: {},
});

function refusal(action: () => unknown): StatusError['status'] {
  try {
    action();
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  return assert.fail('nothing was refused');
}

function account(inside: Inside, namespace: string, name: string): Promise<KubeObject> {
  return inside.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name } });
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}`, clientCertificate: undefined });

test('a static token, a certificate and nothing at all are three identities; a wrong token is none', async () => {
  const { access } = await cluster();
  assert.deepEqual((await access.identify(bearer('secret'))).groups, ['system:masters', 'system:authenticated']);
  const certificate = { subjectCN: 'jane', organizations: ['dev'] };
  const jane = await access.identify({ authorization: undefined, clientCertificate: certificate });
  assert.deepEqual([jane.name, jane.groups], ['jane', ['dev', 'system:authenticated']]);
  const nobody = await access.identify({ authorization: undefined, clientCertificate: undefined });
  assert.deepEqual([nobody.name, nobody.groups], ['system:anonymous', ['system:unauthenticated']]);
  await assert.rejects(access.identify(bearer('wrong')), { message: 'Unauthorized' });
});

test('a requested token speaks for its account until the account goes, also if another takes its name', async () => {
  const { inside, access } = await cluster();
  await account(inside, 'a', 'robot');
  const body = { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', spec: {} };
  const info = parseRequest('POST', '/api/v1/namespaces/a/serviceaccounts/robot/token');
  const answer = access.review(info, body, named('admin'));
  const token = stringAt(answer, 'status', 'token') ?? '';
  const user = await access.identify(bearer(token));
  assert.equal(user.name, 'system:serviceaccount:a:robot');
  assert.deepEqual(user.groups, ['system:serviceaccounts', 'system:serviceaccounts:a', 'system:authenticated']);
  assert.match(user.extra['authentication.kubernetes.io/credential-id']?.[0] ?? '', /^JTI=/);
  await inside.delete('', 'ServiceAccount', 'a', 'robot');
  await assert.rejects(access.identify(bearer(token)), { message: 'Unauthorized' });
  await account(inside, 'a', 'robot');
  await assert.rejects(access.identify(bearer(token)), { message: 'Unauthorized' });
});

test('a token for another audience, an expired one and a tampered one open nothing', async () => {
  const { inside, access } = await cluster();
  const robot = await account(inside, 'a', 'robot');
  const foreign = access.tokens.issue({ account: robot, audiences: ['vault'], seconds: 600 }).token;
  const old = access.tokens.issue({ account: robot, audiences: [access.tokens.issuer], seconds: -61 }).token;
  const good = access.tokens.issue({ account: robot, audiences: [access.tokens.issuer], seconds: 600 }).token;
  const [head, , signature] = good.split('.');
  const other = Buffer.from(JSON.stringify({ iss: access.tokens.issuer, sub: 'admin' })).toString('base64url');
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${good.split('.')[1]}.`;
  for (const token of [foreign, old, `${head}.${other}.${signature}`, unsigned, 'a.b.c', '..', 'x'])
    await assert.rejects(access.identify(bearer(token)), { message: 'Unauthorized' });
  assert.equal((await access.identify(bearer(good))).name, 'system:serviceaccount:a:robot');
});

test('a token bound to a Secret dies with it', async () => {
  const { inside, access } = await cluster();
  await account(inside, 'a', 'robot');
  await inside.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'a', name: 's' } });
  const spec = { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 's' } };
  const info = parseRequest('POST', '/api/v1/namespaces/a/serviceaccounts/robot/token');
  const token = stringAt(access.review(info, { spec }, named('x')), 'status', 'token') ?? '';
  await access.identify(bearer(token));
  await inside.delete('', 'Secret', 'a', 's');
  await assert.rejects(access.identify(bearer(token)), { message: 'Unauthorized' });
});

test('a token request is refused in the words of the real server', async () => {
  const { inside, access } = await cluster();
  await account(inside, 'a', 'robot');
  const ask = (spec: object, name = 'robot'): unknown =>
    access.review(
      parseRequest('POST', `/api/v1/namespaces/a/serviceaccounts/${name}/token`),
      JSON.parse(JSON.stringify({ spec })),
      named('x'),
    );
  assert.equal(
    refusal(() => ask({ expirationSeconds: 5 })).message,
    'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes',
  );
  assert.equal(refusal(() => ask({}, 'nope')).message, 'serviceaccounts "nope" not found');
  const bind = (kind: string): object => ({ boundObjectRef: { kind, apiVersion: 'v1', name: 'nope' } });
  assert.equal(refusal(() => ask(bind('Secret'))).message, 'secrets "nope" not found');
  assert.equal(
    refusal(() => ask(bind('ConfigMap'))).message,
    'cannot bind token to object of type /v1, Kind=ConfigMap',
  );
});

test('what no rule allows is refused in the words of the real server', async () => {
  const { inside, access } = await cluster();
  const check = (method: string, url: string) => refusal(() => access.check(named('u'), parseRequest(method, url)));
  assert.deepEqual(check('GET', '/api/v1/namespaces/n/configmaps/x'), {
    code: 403,
    reason: 'Forbidden',
    message:
      'configmaps "x" is forbidden: User "u" cannot get resource "configmaps" in API group "" in the namespace "n"',
    details: { name: 'x', kind: 'configmaps' },
  });
  const scale = check('PATCH', '/apis/apps/v1/namespaces/n/deployments/d/scale');
  assert.equal(
    scale.message,
    'deployments.apps "d" is forbidden: User "u" cannot patch resource "deployments/scale" in API group "apps" in the namespace "n"',
  );
  assert.equal(
    check('GET', '/api/v1/nodes').message,
    'nodes is forbidden: User "u" cannot list resource "nodes" in API group "" at the cluster scope',
  );
  assert.deepEqual(check('GET', '/foo'), {
    code: 403,
    reason: 'Forbidden',
    message: 'forbidden: User "u" cannot get path "/foo"',
    details: {},
  });
  await grant(inside, 'u', [], 'n');
  await inside.delete(rbac, 'Role', 'n', 'r-u');
  assert.match(
    check('GET', '/api/v1/namespaces/n/pods').message,
    /in the namespace "n": RBAC: role\.rbac\.authorization\.k8s\.io "r-u" not found$/,
  );
});

const rules: Rule[] = [
  { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'] },
  { verbs: ['get'], apiGroups: [''], resources: ['pods/log', '*/status'] },
  { verbs: ['*'], apiGroups: ['example.org'], resources: ['*'] },
  { verbs: ['get'], nonResourceURLs: ['/logs/*', '/metrics'] },
];

const decisions: [string, string, boolean][] = [
  ['GET', '/api/v1/namespaces/n/secrets/mine', true],
  ['GET', '/api/v1/namespaces/n/secrets/other', false],
  ['GET', '/api/v1/namespaces/n/secrets', false],
  ['GET', '/api/v1/namespaces/n/secrets?fieldSelector=metadata.name=mine', true],
  ['GET', '/api/v1/namespaces/n/secrets?watch=1&fieldSelector=metadata.name=mine', true],
  ['POST', '/api/v1/namespaces/n/secrets', false],
  ['GET', '/api/v1/namespaces/n/pods/p/log', true],
  ['GET', '/api/v1/namespaces/n/pods/p', false],
  ['GET', '/apis/apps/v1/namespaces/n/deployments/d/status', false],
  ['GET', '/api/v1/namespaces/n/services/s/status', true],
  ['DELETE', '/apis/example.org/v1/namespaces/n/things', true],
  ['PATCH', '/apis/example.org/v1/things/t/status', true],
  ['GET', '/apis/example.com/v1/things', false],
  ['GET', '/metrics', true],
  ['GET', '/logs/a/b', true],
  ['POST', '/metrics', false],
  ['GET', '/version', true],
];

for (const [method, url, allowed] of decisions)
  test(`the rules ${allowed ? 'allow' : 'do not allow'} ${method} ${url}`, async () => {
    const { inside, access } = await cluster();
    await grant(inside, 'u', rules);
    const asked = { ...parseRequest(method, url), user: named('u') };
    assert.equal(access.authorizer.authorize(asked).allowed, allowed);
  });

test('a role in one namespace gives nothing in another, and its end takes it back', async () => {
  const { inside, access } = await cluster();
  await grant(inside, 'u', [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }], 'a');
  const may = (namespace: string): boolean =>
    access.authorizer.authorize({
      ...parseRequest('GET', `/api/v1/namespaces/${namespace}/pods/p`),
      user: named('u'),
    }).allowed;
  assert.deepEqual([may('a'), may('b')], [true, false]);
  await inside.update(rbac, 'RoleBinding', 'a', 'r-u', (binding) => ({ ...binding, subjects: [] }));
  assert.equal(may('a'), false);
});

test('the decision names the binding that allowed it', async () => {
  const { access } = await cluster();
  assert.deepEqual(access.check(named('u'), parseRequest('GET', '/version')), {
    'authorization.k8s.io/decision': 'allow',
    'authorization.k8s.io/reason':
      'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"',
  });
  const master = named('admin', ['system:masters']);
  assert.equal(access.check(master, parseRequest('DELETE', '/api/v1/nodes'))['authorization.k8s.io/reason'], '');
});

const nodes = parseRequest('GET', '/api/v1/nodes');

test('impersonation without a user name, or without the right, is refused as by the real server', async () => {
  const { access } = await cluster();
  const attempt = (headers: { [name: string]: string | string[] }): StatusError['status'] =>
    refusal(() => access.impersonation(named('alice'), headers, nodes));
  assert.deepEqual(attempt({ 'impersonate-group': ['g'] }), {
    code: 400,
    reason: 'BadRequest',
    message:
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)} without impersonating a user name',
  });
  assert.equal(
    attempt({ 'impersonate-user': 'bob' }).message,
    'nodes is forbidden: User "alice" cannot impersonate-on:user-info:list resource "nodes" in API group "" at the cluster scope',
  );
  assert.equal(
    attempt({ 'impersonate-user': 'system:serviceaccount:ns:bob' }).message,
    'nodes is forbidden: User "alice" cannot impersonate-on:serviceaccount:list resource "nodes" in API group "" at the cluster scope',
  );
  assert.equal(access.impersonation(named('alice'), { 'impersonate-user': '' }, nodes), undefined);
});

test('an impersonated service account has its groups; the plain right covers only what it names', async () => {
  const { inside, access } = await cluster();
  await grant(inside, 'ci', [
    { verbs: ['impersonate'], apiGroups: [''], resources: ['serviceaccounts'], resourceNames: ['robot'] },
    { verbs: ['impersonate'], apiGroups: [''], resources: ['users'] },
    { verbs: ['impersonate'], apiGroups: ['authentication.k8s.io'], resources: ['userextras/team'] },
  ]);
  const as = (headers: { [name: string]: string | string[] }): User | undefined =>
    access.impersonation(named('ci'), headers, nodes)?.user;
  assert.deepEqual(as({ 'impersonate-user': 'system:serviceaccount:ns:robot' })?.groups, [
    'system:serviceaccounts',
    'system:serviceaccounts:ns',
    'system:authenticated',
  ]);
  assert.deepEqual(as({ 'impersonate-user': 'bob', 'impersonate-extra-team': ['red'] }), {
    name: 'bob',
    uid: '',
    groups: ['system:authenticated'],
    extra: { team: ['red'] },
  });
  assert.deepEqual(as({ 'impersonate-user': 'system:anonymous' })?.groups, ['system:unauthenticated']);
  // Whose plain right was used before is refused in the words of the plain right.
  assert.equal(
    refusal(() => as({ 'impersonate-user': 'system:serviceaccount:ns:other' })).message,
    'serviceaccounts "other" is forbidden: User "ci" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "ns"',
  );
  for (const headers of [
    { 'impersonate-user': 'system:serviceaccount:ns:other' },
    { 'impersonate-user': 'bob', 'impersonate-group': ['system:masters'] },
    { 'impersonate-user': 'bob', 'impersonate-uid': '1' },
    { 'impersonate-user': 'bob', 'impersonate-extra-other': 'x' },
  ])
    assert.equal(refusal(() => as(headers)).code, 403, JSON.stringify(headers));
});

test('constrained impersonation works for the verbs it names and never reaches system:masters', async () => {
  const { inside, access } = await cluster();
  await grant(inside, 'ci', [
    { verbs: ['impersonate:user-info'], apiGroups: ['authentication.k8s.io'], resources: ['users', 'groups'] },
    { verbs: ['impersonate-on:user-info:list'], apiGroups: [''], resources: ['nodes'] },
  ]);
  const done = access.impersonation(named('ci'), { 'impersonate-user': 'bob' }, nodes);
  assert.deepEqual([done?.user.name, done?.constraint], ['bob', 'impersonate:user-info']);
  const masters = { 'impersonate-user': 'bob', 'impersonate-group': ['system:masters'] };
  assert.match(
    refusal(() => access.impersonation(named('ci'), masters, nodes)).message,
    /impersonating the system:masters group is not allowed$/,
  );
  const pods = parseRequest('GET', '/api/v1/pods');
  assert.equal(refusal(() => access.impersonation(named('ci'), { 'impersonate-user': 'bob' }, pods)).code, 403);
  const vague = { 'impersonate-user': 'bob', 'impersonate-extra-team': 'red' };
  assert.match(
    refusal(() => access.impersonation(named('ci'), vague, nodes)).message,
    /^userextras\.authentication\.k8s\.io is forbidden: .* not allowed: extra\.key: Invalid value: "team": must be a domain-prefixed path \(such as "acme\.io\/foo"\)$/,
  );
});

test('nobody hands out rights they do not hold', async () => {
  const { inside, access } = await cluster();
  await grant(inside, 'alice', [
    { verbs: ['create', 'get', 'update', 'patch'], apiGroups: [rbac], resources: ['*'] },
    { verbs: ['get'], apiGroups: [''], resources: ['configmaps'] },
  ]);
  const admission = escalationAdmission(access.authorizer);
  const create = (kind: string, path: string, body: object): StatusError['status'] =>
    refusal(() =>
      admission.validate?.({
        operation: 'CREATE',
        info: parseRequest('POST', `/apis/${rbac}/v1/${path}`),
        resource: inside.resourceFor(rbac, kind) ?? assert.fail(),
        user: named('alice', ['dev', 'system:authenticated']),
        object: JSON.parse(JSON.stringify({ metadata: { name: 'r' }, ...body })),
        old: undefined,
        dryRun: false,
      }),
    );
  const who = 'user "alice" (groups=["dev" "system:authenticated"])';
  assert.equal(
    create('Role', 'namespaces/default/roles', {
      rules: [
        { apiGroups: [''], resources: ['secrets', 'pods'], verbs: ['get', 'list'] },
        { apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['a', 'b'], verbs: ['get'] },
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
      ],
    }).message,
    `roles.rbac.authorization.k8s.io "r" is forbidden: ${who} is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}\n{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["a"], Verbs:["get"]}\n{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["b"], Verbs:["get"]}`,
  );
  assert.equal(
    create('ClusterRole', 'clusterroles', { rules: [{ nonResourceURLs: ['/a'], verbs: ['get', 'put'] }] }).message,
    `clusterroles.rbac.authorization.k8s.io "r" is forbidden: ${who} is attempting to grant RBAC permissions not currently held:\n{NonResourceURLs:["/a"], Verbs:["get"]}\n{NonResourceURLs:["/a"], Verbs:["put"]}`,
  );
  assert.equal(
    create('ClusterRole', 'clusterroles', { aggregationRule: { clusterRoleSelectors: [{}] } }).message,
    'clusterroles.rbac.authorization.k8s.io "r" is forbidden: must have cluster-admin privileges to use the aggregationRule',
  );
  const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' };
  assert.match(
    create('RoleBinding', 'namespaces/a/rolebindings', { roleRef }).message,
    /^rolebindings\.rbac\.authorization\.k8s\.io "r" is forbidden: user "alice".*\n.*APIGroups:\["\*"\]/,
  );
  assert.equal(
    create('ClusterRoleBinding', 'clusterrolebindings', { roleRef: { ...roleRef, name: 'nope' } }).message,
    'clusterrolebindings.rbac.authorization.k8s.io "nope" not found',
  );
});

test('the rules review lists what applies, a token review whose token it is', async () => {
  const { inside, access } = await cluster();
  await grant(inside, 'u', [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['p'] }], 'a');
  const rulesReview = access.review(
    parseRequest('POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews'),
    { kind: 'SelfSubjectRulesReview', apiVersion: 'authorization.k8s.io/v1', spec: { namespace: 'a' } },
    named('u', []),
  );
  assert.deepEqual(rulesReview?.['status'], {
    resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['p'] }],
    nonResourceRules: [],
    incomplete: false,
  });
  const review = (token: string, audiences?: string[]): unknown =>
    access.review(
      parseRequest('POST', '/apis/authentication.k8s.io/v1/tokenreviews'),
      { kind: 'TokenReview', spec: { token, ...(audiences === undefined ? {} : { audiences }) } },
      named('x'),
    )?.['status'];
  assert.deepEqual(review('secret'), {
    authenticated: true,
    user: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
    audiences: ['https://kubernetes.default.svc.cluster.local'],
  });
  assert.deepEqual(review('secret', ['foo']), { user: {}, error: 'invalid bearer token' });
  assert.deepEqual(review('wrong'), { user: {}, error: 'invalid bearer token' });
});
