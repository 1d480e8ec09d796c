# Written, and not run here: there is no Homebrew where svc is made, and no address to download from yet.
# Each "sha256" is that of the file in the SHA256SUMS of its release; the zeros match nothing, so that nothing is installed unchecked.
class Svc < Formula
  desc "Collections and payouts from the command line, with the service's sandbox inside"
  homepage "https://svc.example"
  version "0.1.0"
  license "MIT"

  on_macos do
    depends_on arch: :arm64
    on_arm do
      url "https://svc.example/releases/svc-0.1.0-darwin-arm64.tar.xz"
      sha256 "0000000000000000000000000000000000000000000000000000000000000000"
    end
  end

  on_linux do
    on_intel do
      url "https://svc.example/releases/svc-0.1.0-linux-x64.tar.xz"
      sha256 "0000000000000000000000000000000000000000000000000000000000000000"
    end
    on_arm do
      url "https://svc.example/releases/svc-0.1.0-linux-arm64.tar.xz"
      sha256 "0000000000000000000000000000000000000000000000000000000000000000"
    end
  end

  def install
    bin.install "svc"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/svc.bash" => "svc"
    zsh_completion.install "completions/_svc"
    fish_completion.install "completions/svc.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/svc --version")
    assert_match "confirmed", shell_output(
      "#{bin}/svc payouts create --method mobile_payment --country VE --currency VES --amount 20.00 " \
      "--beneficiary document.type=V --beneficiary document.number=12345678 " \
      "--beneficiary bank_code=0105 --beneficiary account_number=04149876543",
    )
  end
end
