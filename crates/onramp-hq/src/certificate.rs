//! Certificates: that of a server, and which one a client accepts.

use crate::error::Error;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{ring, CryptoProvider};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, RootCertStore, SignatureScheme};
use sha2::{Digest, Sha256};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

/// The certificate of a server, and its key.
#[derive(Debug)]
pub struct Identity {
    pub(crate) chain: Vec<CertificateDer<'static>>,
    pub(crate) key: PrivateKeyDer<'static>,
    pem: String,
}

impl Identity {
    /// A new certificate that signs itself, for these names and addresses. It exists in memory
    /// alone.
    ///
    /// # Errors
    /// A name is no name of a host.
    pub fn self_signed(names: Vec<String>) -> Result<Identity, Error> {
        let made = rcgen::generate_simple_self_signed(names);
        let made = made.map_err(|error| Error::Tls {
            reason: error.to_string(),
        })?;
        let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
        Ok(Identity {
            pem: made.cert.pem(),
            chain: vec![made.cert.into()],
            key: key.into(),
        })
    }

    /// The certificate chain and the key of two PEM files.
    ///
    /// # Errors
    /// A file cannot be read, or does not hold what is expected.
    pub fn from_files(chain: &Path, key: &Path) -> Result<Identity, Error> {
        let read = PrivateKeyDer::from_pem_file(key)
            .map_err(|error| refused("the private key", key, error))?;
        let what = "the certificate";
        let certificates = certificates(what, chain)?;
        let pem = std::fs::read_to_string(chain).map_err(|error| refused(what, chain, error))?;
        Ok(Identity {
            chain: certificates,
            key: read,
            pem,
        })
    }

    /// The certificate chain in PEM format, for clients that need a file.
    pub fn to_pem(&self) -> &str {
        &self.pem
    }

    /// The hash by which a client can name the certificate.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.chain[0])
    }
}

/// The certificates of a PEM file, which has at least one.
fn certificates(what: &'static str, file: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    let read: Vec<_> = CertificateDer::pem_file_iter(file)
        .and_then(Iterator::collect)
        .map_err(|error| refused(what, file, error))?;
    match read.is_empty() {
        true => Err(refused(what, file, "it has no certificate in PEM format")),
        false => Ok(read),
    }
}

fn refused(what: &'static str, file: &Path, reason: impl fmt::Display) -> Error {
    Error::Pem {
        what,
        file: file.to_owned(),
        reason: reason.to_string(),
    }
}

/// SHA-256 of a certificate, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    fn of(certificate: &CertificateDer<'_>) -> Fingerprint {
        Fingerprint(Sha256::digest(certificate).into())
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

impl FromStr for Fingerprint {
    type Err = String;

    fn from_str(text: &str) -> Result<Fingerprint, String> {
        let digits: Vec<u8> = text
            .chars()
            .filter(|character| *character != ':')
            .map(|digit| digit.to_digit(16).map(|value| value as u8))
            .collect::<Option<_>>()
            .ok_or("expected hexadecimal digits, as `onramp quic serve` prints them")?;
        let bytes: Vec<u8> = digits
            .chunks(2)
            .map(|pair| pair.iter().fold(0, fold))
            .collect();
        match bytes.try_into() {
            Ok(bytes) if digits.len() == 64 => Ok(Fingerprint(bytes)),
            _ => Err(format!(
                "expected the 64 hexadecimal digits of a SHA-256, found {}",
                digits.len()
            )),
        }
    }
}

fn fold(value: u8, digit: &u8) -> u8 {
    value << 4 | digit
}

/// Which certificate of a server a client accepts.
#[derive(Clone, Debug, Default)]
pub enum Trust {
    /// One that an authority of this host has signed.
    #[default]
    Host,
    /// One that an authority of this PEM file has signed.
    Authorities(PathBuf),
    /// The one with this hash, whatever its names.
    Certificate(Fingerprint),
    /// Any: the server may be anyone.
    Anyone,
}

impl Trust {
    /// The TLS configuration of a client.
    pub(crate) fn client_config(&self) -> Result<rustls::ClientConfig, Error> {
        let provider = Arc::new(ring::default_provider());
        let builder = rustls::ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&rustls::version::TLS13])
            .expect("the provider has TLS 1.3");
        let pinned = |expected| {
            Arc::new(Pinned {
                expected,
                provider: provider.clone(),
            })
        };
        let builder = match self {
            Trust::Host => builder.with_root_certificates(authorities_of_host()?),
            Trust::Authorities(file) => {
                let mut roots = RootCertStore::empty();
                let what = "the file of authorities";
                for certificate in certificates(what, file)? {
                    let added = roots.add(certificate);
                    added.map_err(|error| refused(what, file, error))?;
                }
                builder.with_root_certificates(roots)
            }
            Trust::Certificate(fingerprint) => builder
                .dangerous()
                .with_custom_certificate_verifier(pinned(Some(*fingerprint))),
            Trust::Anyone => builder
                .dangerous()
                .with_custom_certificate_verifier(pinned(None)),
        };
        Ok(builder.with_no_client_auth())
    }
}

fn authorities_of_host() -> Result<RootCertStore, Error> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(found.certs);
    match added {
        0 => Err(Error::NoAuthorities {
            reason: found
                .errors
                .first()
                .map_or("none was found".to_owned(), ToString::to_string),
        }),
        _ => Ok(roots),
    }
}

/// Accepts the certificate with a hash, or any. The server must have its key in both cases.
#[derive(Debug)]
struct Pinned {
    expected: Option<Fingerprint>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let found = Fingerprint::of(certificate);
        match self.expected.is_none_or(|expected| expected == found) {
            true => Ok(ServerCertVerified::assertion()),
            false => Err(rustls::Error::General(format!(
                "the certificate of the server has another hash: {found}"
            ))),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_read_as_it_is_written() {
        let identity = Identity::self_signed(vec!["localhost".into()]).unwrap();
        let written = identity.fingerprint().to_string();
        assert_eq!(written.parse(), Ok(identity.fingerprint()));
        let with_colons: Vec<&str> = (0..32).map(|at| &written[2 * at..2 * at + 2]).collect();
        assert_eq!(with_colons.join(":").parse(), Ok(identity.fingerprint()));
        assert!("xyz"
            .parse::<Fingerprint>()
            .unwrap_err()
            .contains("hexadecimal"));
        assert!("abcd"
            .parse::<Fingerprint>()
            .unwrap_err()
            .contains("found 4"));
        assert!(written[1..]
            .parse::<Fingerprint>()
            .unwrap_err()
            .contains("found 63"));
    }

    #[test]
    fn a_file_without_certificates_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("empty.pem");
        std::fs::write(&file, "nothing").unwrap();
        let error = Identity::from_files(&file, &file).unwrap_err().to_string();
        assert!(
            error.contains("the private key") && error.contains("empty.pem"),
            "{error}"
        );
        let error = Trust::Authorities(file)
            .client_config()
            .unwrap_err()
            .to_string();
        assert!(error.contains("no certificate in PEM format"), "{error}");
    }
}
