// Jenkins: a step of a shared library. It profiles the tests, sends the profiles, and shows the report
// with the build. A token comes from the credential that `credentials` names (a secret text). The
// builds of forks get none: their tests could read it.
def call(Map given) {
    Map settings = [archive: '', sha256: '', targets: '//...', bazelOptions: '-c opt', config: 'gprof',
                    budget: 5, check: false, pageUrl: ''] + given
    List variables = ["GPROFHUB_SERVER=${settings.server}", "GPROFHUB_PROJECT=${settings.project}",
                      "ARCHIVE=${settings.archive}", "SHA256=${settings.sha256}",
                      "TARGETS=${settings.targets}", "OPTIONS=${settings.bazelOptions}",
                      "CONFIG=${settings.config}", "BUDGET=${settings.budget}",
                      "CHECK=${settings.check}", "PAGE_URL=${settings.pageUrl}"]
    Closure profile = {
        withEnv(variables) {
            sh libraryResource('gprofhub.sh')
        }
    }
    try {
        if (settings.credentials && !env.CHANGE_FORK) {
            withCredentials([string(credentialsId: settings.credentials, variable: 'GPROFHUB_TOKEN')], profile)
        } else {
            profile()
        }
    } finally {
        archiveArtifacts artifacts: 'gprofhub.md', allowEmptyArchive: true
    }
}
