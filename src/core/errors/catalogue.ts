import type { Fault } from './fault.ts';

interface Entry {
  readonly fault: Fault;
  /** One line for `docs/errors.md`. */
  readonly about: string;
}

/** Every code there is. A code never changes its meaning; a test keeps `docs/errors.md` equal to this list. */
export const catalogue = {
  // The command line and configuration.
  usage: { fault: 'user', about: 'A command, flag or argument is unknown or malformed.' },
  'config-invalid': {
    fault: 'user',
    about: 'A configuration file, kubeconfig or cluster Secret cannot be used as written.',
  },
  'identity-empty': {
    fault: 'bug',
    about: 'An impersonation was asked for but came out empty; the request was not sent.',
  },

  // Answers of a Kubernetes API.
  'kube-unauthorized': { fault: 'outside', about: 'The API server does not accept the credential (401).' },
  'kube-forbidden': { fault: 'denied', about: 'The API server refuses the request for this identity (403).' },
  'kube-not-found': { fault: 'user', about: 'The object or kind is not there (404).' },
  'kube-conflict': {
    fault: 'outside',
    about: 'The object changed in the meantime, or another manager owns a field (409).',
  },
  'kube-already-exists': { fault: 'user', about: 'An object of that name is already there (409).' },
  'kube-gone': {
    fault: 'outside',
    about: 'The resourceVersion or continue token is too old; the list must be read anew (410).',
  },
  'kube-invalid': { fault: 'user', about: 'The API server refuses the content of the object (400 or 422).' },
  'kube-too-large': { fault: 'user', about: 'The object or request is larger than the API server takes (413).' },
  'kube-busy': { fault: 'outside', about: 'The API server is overloaded and asks to wait (429).' },
  'kube-unavailable': { fault: 'outside', about: 'The API server answers with a 5xx status.' },
  'kube-unreachable': { fault: 'outside', about: 'No connection to the API server, or it broke.' },
  'kube-timeout': { fault: 'outside', about: 'The API server did not answer before the deadline.' },
  'kube-limit': { fault: 'outside', about: 'A cluster sends more than is kept of one cluster.' },
  'kube-malformed': { fault: 'outside', about: 'The answer is not what a Kubernetes API sends.' },
  'kube-tls': { fault: 'outside', about: 'The certificate of the API server is not trusted, or ours is not accepted.' },
  cancelled: { fault: 'outside', about: 'The caller gave up before an answer came.' },

  // Sources and rendering.
  'git-unreachable': { fault: 'outside', about: 'The repository cannot be reached.' },
  'git-auth': { fault: 'denied', about: 'The repository refuses the credential, or there is none.' },
  'git-revision': { fault: 'user', about: 'The revision does not exist in the repository.' },
  'git-refused': { fault: 'denied', about: 'The address of the repository is not permitted.' },
  'git-limit': { fault: 'user', about: 'The repository, or something in it, is larger than permitted.' },
  'git-failed': { fault: 'outside', about: 'The git program failed.' },
  'render-failed': { fault: 'user', about: 'The source could not be turned into manifests.' },
  'render-limit': { fault: 'user', about: 'The source or its output is larger than permitted.' },
  'render-refused': {
    fault: 'denied',
    about: 'The source refers to something outside its repository that is not permitted.',
  },
  'source-unverified': {
    fault: 'denied',
    about: 'The project asks for signed revisions, and this one is not signed by a permitted key.',
  },
  'tool-missing': { fault: 'outside', about: 'A program the source needs (helm, kustomize, …) is not installed.' },
  'spawn-failed': { fault: 'outside', about: 'A child process could not be started.' },
  'spawn-limit': { fault: 'user', about: 'A child process printed or wrote more than permitted and was killed.' },
  'spawn-deadline': { fault: 'outside', about: 'A child process ran past its deadline and was killed.' },

  // Tenancy.
  denied: { fault: 'denied', about: 'A rule of the project or of the installation says no.' },
  unknown: { fault: 'outside', about: 'What is needed to decide could not be read; nothing was done.' },

  internal: { fault: 'bug', about: 'A defect in Argosy. Please report it.' },
} as const satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof catalogue;
